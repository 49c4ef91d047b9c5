import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.resource.PathResourceManager;
import io.undertow.util.Headers;
import java.nio.file.Path;
import java.util.Deque;
import pages.Pages;

/** Server HOST PORT IO-THREADS FILES: the workloads on Undertow's handlers. */
final class Server {
  public static void main(String[] args) {
    PathResourceManager files = new PathResourceManager(Path.of(args[3]));
    HttpHandler routes =
        Handlers.path(Handlers.resource(files))
            .addExactPath("/pong", exchange -> send(exchange, "text/plain", "PONG"))
            .addExactPath("/hello", exchange -> send(exchange, "text/plain", "Hello, world!"))
            .addExactPath("/echo", exchange -> send(exchange, "text/xml", echo(exchange)))
            .addExactPath("/bigtable", exchange -> send(exchange, "text/html", Pages.bigtable()));
    Undertow.builder()
        .addHttpListener(Integer.parseInt(args[1]), args[0])
        .setIoThreads(Integer.parseInt(args[2]))
        .setHandler(routes)
        .build()
        .start();
  }

  private static void send(HttpServerExchange exchange, String type, String body) {
    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, type);
    exchange.getResponseSender().send(body);
  }

  private static String echo(HttpServerExchange exchange) {
    Deque<String> values = exchange.getQueryParameters().get("value");
    return Pages.echo(values == null ? null : values.getFirst());
  }
}
