// The workloads on Gin, as its documentation writes handlers.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

func echo(c *gin.Context) {
	page := echoPage(c.GetQuery("value"))
	c.Data(http.StatusOK, "text/xml", []byte(page))
}

func bigtable(c *gin.Context) {
	c.Data(http.StatusOK, "text/html", []byte(bigtablePage()))
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	router.GET("/pong", func(c *gin.Context) { c.String(http.StatusOK, "PONG") })
	router.GET("/hello", func(c *gin.Context) { c.String(http.StatusOK, "Hello, world!") })
	router.GET("/echo", echo)
	router.GET("/bigtable", bigtable)
	router.StaticFile("/file.png", picture)

	server := &http.Server{Addr: address, Handler: router}
	serve(server.ListenAndServe, server.Close)
}
