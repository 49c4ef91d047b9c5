// The workloads on Fiber, as its documentation writes handlers.
package main

import "github.com/gofiber/fiber/v3"

func send(c fiber.Ctx, contentType, body string) error {
	c.Set(fiber.HeaderContentType, contentType)
	return c.SendString(body)
}

func echo(c fiber.Ctx) error {
	given := c.Request().URI().QueryArgs().Has("value")
	return send(c, "text/xml", echoPage(c.Query("value"), given))
}

func main() {
	app := fiber.New()
	app.Get("/pong", func(c fiber.Ctx) error { return c.SendString("PONG") })
	app.Get("/hello", func(c fiber.Ctx) error { return c.SendString("Hello, world!") })
	app.Get("/echo", echo)
	app.Get("/bigtable", func(c fiber.Ctx) error { return send(c, "text/html", bigtablePage()) })
	app.Get("/file.png", func(c fiber.Ctx) error { return c.SendFile(picture) })

	quiet := fiber.ListenConfig{DisableStartupMessage: true}
	serve(func() error { return app.Listen(address, quiet) }, app.Shutdown)
}
