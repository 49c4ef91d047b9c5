import com.zaxxer.hikari.HikariConfig
import com.zaxxer.hikari.HikariDataSource
import io.ktor.serialization.kotlinx.json.json
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.engine.embeddedServer
import io.ktor.server.html.respondHtml
import io.ktor.server.netty.Netty
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.response.respond
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import kotlinx.html.body
import kotlinx.html.head
import kotlinx.html.table
import kotlinx.html.td
import kotlinx.html.th
import kotlinx.html.title
import kotlinx.html.tr
import kotlinx.serialization.Serializable
import rows.Numbers

@Serializable
data class Hello(val message: String)

/** Server HOST PORT: TechEmpower's tests on Ktor, as its documentation writes routes. */
fun main(args: Array<String>) {
    val config = HikariConfig().apply {
        val variables = System.getenv()
        jdbcUrl = with(variables) { "jdbc:postgresql://${get("PGHOST")}:${get("PGPORT")}/${get("PGDATABASE")}" }
        username = variables["PGUSER"]
        password = variables["PGPASSWORD"]
    }
    val rows = Rows(HikariDataSource(config))
    embeddedServer(Netty, host = args[0], port = args[1].toInt()) { pages(rows) }.start(wait = true)
}

fun Application.pages(rows: Rows) {
    install(ContentNegotiation) { json() }
    routing {
        get("/pong") { call.respondText("PONG") }
        get("/plaintext") { call.respondText("Hello, World!") }
        get("/json") { call.respond(Hello("Hello, World!")) }
        get("/db") {
            call.respond(rows.read(call.queryParameters["id"]?.toIntOrNull() ?: Numbers.drawn()))
        }
        get("/queries") { call.respond(rows.several(Numbers.ids(call.queryParameters["queries"]))) }
        // In one order, so that no two requests wait for each other's rows.
        get("/updates") {
            call.respond(rows.changed(Numbers.ids(call.queryParameters["queries"]).sorted()))
        }
        get("/fortunes") {
            val added = Fortune(0, "Additional fortune added at request time.")
            val fortunes = (rows.fortunes() + added).sortedBy { it.message }
            call.respondHtml {
                head { title("Fortunes") }
                body {
                    table {
                        tr {
                            th { +"id" }
                            th { +"message" }
                        }
                        for (fortune in fortunes) {
                            tr {
                                td { +"${fortune.id}" }
                                td { +fortune.message }
                            }
                        }
                    }
                }
            }
        }
    }
}
