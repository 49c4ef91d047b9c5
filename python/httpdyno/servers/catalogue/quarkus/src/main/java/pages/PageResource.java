package pages;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.File;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The workloads on Quarkus REST, as its guide writes resources. */
@Path("/")
public class PageResource {
  @ConfigProperty(name = "pages.files")
  String files;

  @GET
  @Path("pong")
  @Produces(MediaType.TEXT_PLAIN)
  public String pong() {
    return "PONG";
  }

  @GET
  @Path("hello")
  @Produces(MediaType.TEXT_PLAIN)
  public String hello() {
    return "Hello, world!";
  }

  @GET
  @Path("echo")
  @Produces(MediaType.TEXT_XML)
  public String echo(@QueryParam("value") String value) {
    return Pages.echo(value);
  }

  @GET
  @Path("bigtable")
  @Produces(MediaType.TEXT_HTML)
  public String bigtable() {
    return Pages.bigtable();
  }

  @GET
  @Path("file.png")
  @Produces("image/png")
  public File picture() {
    return new File(files, "file.png");
  }
}
