// The workloads on Go's own net/http, as its package documentation writes handlers.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

var xml = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, body)
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/xml")
	query := r.URL.Query()
	if !query.Has("value") {
		fmt.Fprint(w, "<http_test><error>no value specified</error></http_test>")
		return
	}
	fmt.Fprintf(w, "<http_test><value>%s</value></http_test>", xml.Replace(query.Get("value")))
}

func bigtable(w http.ResponseWriter, r *http.Request) {
	var page strings.Builder
	page.WriteString("<table>")
	for row := 0; row < 1000; row++ {
		page.WriteString("<tr>")
		for column := 1; column <= 50; column++ {
			fmt.Fprintf(&page, "<td>%d</td>", column)
		}
		page.WriteString("</tr>")
	}
	page.WriteString("</table>")
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, page.String())
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
	address, files := os.Args[1], os.Args[2]
	http.HandleFunc("/pong", text("PONG"))
	http.HandleFunc("/hello", text("Hello, world!"))
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/bigtable", bigtable)
	http.HandleFunc("/bigtable-2011", bigtable2011)
	http.HandleFunc("/file.png", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(files, "file.png"))
	})

	server := &http.Server{Addr: address}
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-ended.Done()
		server.Close()
	}()
	serve := server.ListenAndServe
	if len(os.Args) > 4 {
		serve = func() error { return server.ListenAndServeTLS(os.Args[3], os.Args[4]) }
	}
	if err := serve(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
