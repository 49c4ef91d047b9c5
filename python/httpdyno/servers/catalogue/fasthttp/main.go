// The workloads on fasthttp, as its package documentation writes handlers.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/valyala/fasthttp"
)

var xml = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func echo(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/xml")
	query := ctx.QueryArgs()
	if !query.Has("value") {
		ctx.SetBodyString("<http_test><error>no value specified</error></http_test>")
		return
	}
	fmt.Fprintf(ctx, "<http_test><value>%s</value></http_test>", xml.Replace(string(query.Peek("value"))))
}

func bigtable(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/html")
	ctx.WriteString("<table>")
	for row := 0; row < 1000; row++ {
		ctx.WriteString("<tr>")
		for column := 1; column <= 50; column++ {
			fmt.Fprintf(ctx, "<td>%d</td>", column)
		}
		ctx.WriteString("</tr>")
	}
	ctx.WriteString("</table>")
}

func bigtable2011(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/html")
	ctx.WriteString("<html><body><table>\n")
	for row := 1; row <= 1000; row++ {
		fmt.Fprintf(ctx, "<tr><td>%d</td>", row)
		for column := 1; column <= 50; column++ {
			fmt.Fprintf(ctx, "<td>%d</td>", column)
		}
		ctx.WriteString("</tr>\n")
	}
	ctx.WriteString("</table></body></html>")
}

func routes(files string) fasthttp.RequestHandler {
	picture := filepath.Join(files, "file.png")
	return func(ctx *fasthttp.RequestCtx) {
		switch string(ctx.Path()) {
		case "/pong":
			ctx.SetContentType("text/plain")
			ctx.SetBodyString("PONG")
		case "/hello":
			ctx.SetContentType("text/plain")
			ctx.SetBodyString("Hello, world!")
		case "/echo":
			echo(ctx)
		case "/bigtable":
			bigtable(ctx)
		case "/bigtable-2011":
			bigtable2011(ctx)
		case "/file.png":
			ctx.SendFile(picture)
		default:
			ctx.NotFound()
		}
	}
}

func main() {
	address, files := os.Args[1], os.Args[2]
	server := &fasthttp.Server{Handler: routes(files), CloseOnShutdown: true}
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		if err := server.ListenAndServe(address); err != nil {
			log.Fatal(err)
		}
	}()
	<-ended.Done()
	if err := server.Shutdown(); err != nil {
		log.Fatal(err)
	}
}
