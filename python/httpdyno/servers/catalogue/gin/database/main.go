// TechEmpower's tests on Gin.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

func answer(c *gin.Context, value any, err error) {
	if err != nil {
		c.AbortWithError(http.StatusInternalServerError, err)
		return
	}
	c.JSON(http.StatusOK, value)
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	router.SetHTMLTemplate(page)
	router.GET("/pong", func(c *gin.Context) { c.String(http.StatusOK, "PONG") })
	router.GET("/plaintext", func(c *gin.Context) { c.String(http.StatusOK, "Hello, World!") })
	router.GET("/json", func(c *gin.Context) { answer(c, gin.H{"message": "Hello, World!"}, nil) })
	router.GET("/db", func(c *gin.Context) {
		world, err := read(c, c.Query("id"))
		answer(c, world, err)
	})
	router.GET("/queries", func(c *gin.Context) {
		worlds, err := several(c, c.Query("queries"))
		answer(c, worlds, err)
	})
	router.GET("/updates", func(c *gin.Context) {
		worlds, err := changed(c, c.Query("queries"))
		answer(c, worlds, err)
	})
	router.GET("/fortunes", func(c *gin.Context) {
		found, err := fortunes(c)
		if err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.HTML(http.StatusOK, "fortunes", found)
	})
	serve(router)
}
