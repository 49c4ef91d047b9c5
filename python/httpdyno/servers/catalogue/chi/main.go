// The workloads on chi, as its documentation writes handlers.
package main

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
)

func send(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	fmt.Fprint(w, body)
}

func pong(w http.ResponseWriter, r *http.Request) { send(w, "text/plain", "PONG") }

func hello(w http.ResponseWriter, r *http.Request) { send(w, "text/plain", "Hello, world!") }

func echo(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	send(w, "text/xml", echoPage(query.Get("value"), query.Has("value")))
}

func bigtable(w http.ResponseWriter, r *http.Request) { send(w, "text/html", bigtablePage()) }

func main() {
	r := chi.NewRouter()
	r.Get("/pong", pong)
	r.Get("/hello", hello)
	r.Get("/echo", echo)
	r.Get("/bigtable", bigtable)
	r.Get("/file.png", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, picture) })

	server := &http.Server{Addr: address, Handler: r}
	serve(server.ListenAndServe, server.Close)
}
