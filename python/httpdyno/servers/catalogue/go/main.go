// The workloads on Go's own net/http, as its package documentation writes handlers.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, body)
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/xml")
	query := r.URL.Query()
	fmt.Fprint(w, echoPage(query.Get("value"), query.Has("value")))
}

func bigtable(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, bigtablePage())
}

func bigtable2011(w http.ResponseWriter, r *http.Request) {
	var page strings.Builder
	page.WriteString("<html><body><table>\n")
	for row := 1; row <= 1000; row++ {
		fmt.Fprintf(&page, "<tr><td>%d</td>", row)
		for column := 1; column <= 50; column++ {
			fmt.Fprintf(&page, "<td>%d</td>", column)
		}
		page.WriteString("</tr>\n")
	}
	page.WriteString("</table></body></html>")
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, page.String())
}

func main() {
	http.HandleFunc("/pong", text("PONG"))
	http.HandleFunc("/hello", text("Hello, world!"))
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/bigtable", bigtable)
	http.HandleFunc("/bigtable-2011", bigtable2011)
	http.HandleFunc("/file.png", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, picture)
	})

	server := &http.Server{Addr: address}
	if len(os.Args) == 4 { // HTTP/2 in clear text, too
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	listen := server.ListenAndServe
	if len(os.Args) > 4 {
		listen = func() error { return server.ListenAndServeTLS(os.Args[3], os.Args[4]) }
	}
	serve(listen, server.Close)
}
