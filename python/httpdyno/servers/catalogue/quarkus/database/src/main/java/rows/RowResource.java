package rows;

import io.quarkus.qute.Template;
import io.quarkus.qute.TemplateInstance;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Comparator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jboss.resteasy.reactive.RestQuery;

/** TechEmpower's tests on Quarkus REST, with entities of Hibernate ORM with Panache. */
@Path("/")
public class RowResource {
  private final Template fortunes;

  public RowResource(Template fortunes) {
    this.fortunes = fortunes;
  }

  @GET
  @Path("pong")
  @Produces(MediaType.TEXT_PLAIN)
  public String pong() {
    return "PONG";
  }

  @GET
  @Path("plaintext")
  @Produces(MediaType.TEXT_PLAIN)
  public String plaintext() {
    return "Hello, World!";
  }

  @GET
  @Path("json")
  public Map<String, String> json() {
    return Map.of("message", "Hello, World!");
  }

  private static List<World> several(IntStream ids) {
    return ids.mapToObj(id -> World.<World>findById(id)).toList();
  }

  @GET
  @Path("db")
  public World db(@RestQuery Integer id) {
    return World.findById(id == null ? Numbers.drawn() : id);
  }

  @GET
  @Path("queries")
  public List<World> queries(@RestQuery String queries) {
    return several(Numbers.ids(queries));
  }

  /** In one order, so that no two requests wait for each other's rows. */
  @GET
  @Path("updates")
  @Transactional
  public List<World> updates(@RestQuery String queries) {
    List<World> worlds = several(Numbers.ids(queries).sorted());
    worlds.forEach(world -> world.randomNumber = Numbers.drawn());
    return worlds;
  }

  @GET
  @Path("fortunes")
  @Produces(MediaType.TEXT_HTML)
  public TemplateInstance fortunes() {
    List<Fortune> found = new ArrayList<>(Fortune.<Fortune>listAll());
    found.add(new Fortune(0, "Additional fortune added at request time."));
    found.sort(Comparator.comparing(fortune -> fortune.message));
    return fortunes.data("fortunes", found);
  }
}
