import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Server HOST PORT EVENT-LOOPS FILES: the workloads on Vert.x Web, one verticle an event loop. */
public final class Server extends VerticleBase {
  private final String host;
  private final int port;
  private final String files;

  private Server(String host, int port, String files) {
    this.host = host;
    this.port = port;
    this.files = files;
  }

  public static void main(String[] args) {
    int eventLoops = Integer.parseInt(args[2]);
    Vertx.vertx(new VertxOptions().setEventLoopPoolSize(eventLoops))
        .deployVerticle(
            () -> new Server(args[0], Integer.parseInt(args[1]), args[3]),
            new DeploymentOptions().setInstances(eventLoops))
        .onFailure(
            failure -> {
              failure.printStackTrace();
              System.exit(1);
            });
  }

  @Override
  public Future<?> start() {
    Router router = Router.router(vertx);
    router.get("/pong").handler(request -> send(request, "text/plain", "PONG"));
    router.get("/hello").handler(request -> send(request, "text/plain", "Hello, world!"));
    router.get("/echo").handler(request -> send(request, "text/xml", echo(request)));
    router.get("/bigtable").handler(request -> send(request, "text/html", bigtable()));
    router.get("/file.png").handler(request -> request.response().sendFile(files + "/file.png"));
    return vertx.createHttpServer().requestHandler(router).listen(port, host);
  }

  private static void send(RoutingContext request, String type, String body) {
    request.response().putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
  }

  private static String echo(RoutingContext request) {
    String value = request.request().getParam("value");
    return value == null
        ? "<http_test><error>no value specified</error></http_test>"
        : "<http_test><value>" + escaped(value) + "</value></http_test>";
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
