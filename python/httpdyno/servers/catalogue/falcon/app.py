"""The workloads on Falcon, as its documentation writes resources."""

import falcon
import pages


class Text:
    def __init__(self, text):
        self.text = text

    def on_get(self, request, response):
        response.content_type = falcon.MEDIA_TEXT
        response.text = self.text


class Echo:
    def on_get(self, request, response):
        response.content_type = "text/xml"
        response.text = pages.echo(request.get_param("value"))


class BigTable:
    def on_get(self, request, response):
        response.content_type = falcon.MEDIA_HTML
        response.text = pages.bigtable()


class Picture:
    def on_get(self, request, response):
        response.content_type = falcon.MEDIA_PNG
        response.set_stream(pages.PICTURE.open("rb"), pages.PICTURE.stat().st_size)


app = falcon.App()
app.add_route("/pong", Text("PONG"))
app.add_route("/hello", Text("Hello, world!"))
app.add_route("/echo", Echo())
app.add_route("/bigtable", BigTable())
app.add_route("/file.png", Picture())
