import io.ktor.http.ContentType
import io.ktor.server.application.Application
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.response.respondFile
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import java.io.File
import pages.Pages

/** Server HOST PORT CORES FILES: the workloads on Ktor, as its documentation writes routes. */
fun main(args: Array<String>) {
    val picture = File(args[3], "file.png")
    embeddedServer(Netty, host = args[0], port = args[1].toInt()) { pages(picture) }.start(wait = true)
}

fun Application.pages(picture: File) {
    routing {
        get("/pong") { call.respondText("PONG") }
        get("/hello") { call.respondText("Hello, world!") }
        get("/echo") {
            call.respondText(Pages.echo(call.queryParameters["value"]), ContentType.Text.Xml)
        }
        get("/bigtable") { call.respondText(Pages.bigtable(), ContentType.Text.Html) }
        get("/file.png") { call.respondFile(picture) }
    }
}
