import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.resource.PathResourceManager;
import io.undertow.util.Headers;
import java.nio.file.Path;
import java.util.Deque;

/** Server HOST PORT IO-THREADS FILES: the workloads on Undertow's handlers. */
final class Server {
  public static void main(String[] args) {
    PathResourceManager files = new PathResourceManager(Path.of(args[3]));
    HttpHandler routes =
        Handlers.path(Handlers.resource(files))
            .addExactPath("/pong", exchange -> send(exchange, "text/plain", "PONG"))
            .addExactPath("/hello", exchange -> send(exchange, "text/plain", "Hello, world!"))
            .addExactPath("/echo", exchange -> send(exchange, "text/xml", echo(exchange)))
            .addExactPath("/bigtable", exchange -> send(exchange, "text/html", bigtable()));
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
    return values == null
        ? "<http_test><error>no value specified</error></http_test>"
        : "<http_test><value>" + escaped(values.getFirst()) + "</value></http_test>";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String bigtable() {
    StringBuilder page = new StringBuilder("<table>");
    for (int row = 0; row < 1000; row++) {
      page.append("<tr>");
      for (int column = 1; column <= 50; column++) {
        page.append("<td>").append(column).append("</td>");
      }
      page.append("</tr>");
    }
    return page.append("</table>").toString();
  }
}
