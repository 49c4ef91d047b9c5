package pages;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.server.types.files.SystemFile;
import java.io.File;

/** The workloads on Micronaut, as its guide writes controllers. */
@Controller
public class PageController {
  private final File picture;

  public PageController(@Value("${pages.files}") String files) {
    picture = new File(files, "file.png");
  }

  @Get("/pong")
  @Produces(MediaType.TEXT_PLAIN)
  public String pong() {
    return "PONG";
  }

  @Get("/hello")
  @Produces(MediaType.TEXT_PLAIN)
  public String hello() {
    return "Hello, world!";
  }

  @Get("/echo")
  @Produces(MediaType.TEXT_XML)
  public String echo(@Nullable @QueryValue String value) {
    return Pages.echo(value);
  }

  @Get("/bigtable")
  @Produces(MediaType.TEXT_HTML)
  public String bigtable() {
    return Pages.bigtable();
  }

  @Get("/file.png")
  public SystemFile picture() {
    return new SystemFile(picture);
  }
}
