import io.javalin.Javalin;
import io.javalin.http.ContentType;
import java.nio.file.Files;
import java.nio.file.Path;
import pages.Pages;

/** Server HOST PORT CORES FILES: the workloads on Javalin, as its documentation writes handlers. */
public final class Server {
  public static void main(String[] args) {
    Path picture = Path.of(args[3], "file.png");
    Javalin.create(
            config -> {
              config.routes.get("/pong", ctx -> ctx.result("PONG"));
              config.routes.get("/hello", ctx -> ctx.result("Hello, world!"));
              config.routes.get(
                  "/echo",
                  ctx -> ctx.contentType("text/xml").result(Pages.echo(ctx.queryParam("value"))));
              config.routes.get("/bigtable", ctx -> ctx.html(Pages.bigtable()));
              config.routes.get(
                  "/file.png",
                  ctx -> ctx.contentType(ContentType.IMAGE_PNG).result(Files.newInputStream(picture)));
            })
        .start(args[0], Integer.parseInt(args[1]));
  }
}
