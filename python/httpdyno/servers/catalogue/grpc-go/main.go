// The sum of two numbers on gRPC-Go: `server HOST:PORT`. sum.pb.go and sum_grpc.pb.go are generated:
//
//	protoc --go_out=. --go_opt=paths=source_relative,'Msum.proto=httpdyno/server;main' \
//	       --go-grpc_out=. --go-grpc_opt=paths=source_relative,'Msum.proto=httpdyno/server;main' sum.proto
package main

import (
	"context"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	"google.golang.org/grpc"
)

type service struct {
	UnimplementedReferenceServer
}

func (service) GetSum(_ context.Context, numbers *Numbers) (*Sum, error) {
	return &Sum{Sum: numbers.GetA() + numbers.GetB()}, nil
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	RegisterReferenceServer(server, service{})
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		server.GracefulStop()
	}()
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
