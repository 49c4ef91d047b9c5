// The workloads on fasthttp, as its package documentation writes handlers.
package main

import (
	"fmt"

	"github.com/valyala/fasthttp"
)

func send(ctx *fasthttp.RequestCtx, contentType, body string) {
	ctx.SetContentType(contentType)
	ctx.SetBodyString(body)
}

func echo(ctx *fasthttp.RequestCtx) {
	query := ctx.QueryArgs()
	send(ctx, "text/xml", echoPage(string(query.Peek("value")), query.Has("value")))
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

func answer(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case "/pong":
		send(ctx, "text/plain", "PONG")
	case "/hello":
		send(ctx, "text/plain", "Hello, world!")
	case "/echo":
		echo(ctx)
	case "/bigtable":
		send(ctx, "text/html", bigtablePage())
	case "/bigtable-2011":
		bigtable2011(ctx)
	case "/file.png":
		ctx.SendFile(picture)
	default:
		ctx.NotFound()
	}
}

func main() {
	server := &fasthttp.Server{Handler: answer, CloseOnShutdown: true}
	serve(func() error { return server.ListenAndServe(address) }, server.Shutdown)
}
