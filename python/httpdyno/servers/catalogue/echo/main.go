// The workloads on Echo, as its documentation writes handlers.
package main

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/labstack/echo/v5"
)

func echoed(c *echo.Context) error {
	page := echoPage(c.QueryParam("value"), c.QueryParams().Has("value"))
	return c.Blob(http.StatusOK, "text/xml", []byte(page))
}

func main() {
	files := os.DirFS(filepath.Dir(picture))
	e := echo.New()
	e.GET("/pong", func(c *echo.Context) error { return c.String(http.StatusOK, "PONG") })
	e.GET("/hello", func(c *echo.Context) error { return c.String(http.StatusOK, "Hello, world!") })
	e.GET("/echo", echoed)
	e.GET("/bigtable", func(c *echo.Context) error { return c.HTML(http.StatusOK, bigtablePage()) })
	e.GET("/file.png", func(c *echo.Context) error { return c.FileFS("file.png", files) })

	server := &http.Server{Addr: address, Handler: e}
	serve(server.ListenAndServe, server.Close)
}
