package rows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** TechEmpower's tests as methods of a Spring controller. */
@SpringBootApplication
@Controller
public class Application {
  private final Rows rows;

  public Application(Rows rows) {
    this.rows = rows;
  }

  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @GetMapping(path = "/pong", produces = MediaType.TEXT_PLAIN_VALUE)
  @ResponseBody
  public String pong() {
    return "PONG";
  }

  @GetMapping(path = "/plaintext", produces = MediaType.TEXT_PLAIN_VALUE)
  @ResponseBody
  public String plaintext() {
    return "Hello, World!";
  }

  @GetMapping("/json")
  @ResponseBody
  public Map<String, String> json() {
    return Map.of("message", "Hello, World!");
  }

  @GetMapping("/db")
  @ResponseBody
  public World db(@RequestParam Optional<Integer> id) {
    return rows.read(id.orElseGet(Numbers::drawn));
  }

  @GetMapping("/queries")
  @ResponseBody
  public List<World> queries(@RequestParam(required = false) String queries) {
    return rows.several(Numbers.ids(queries));
  }

  /** In one order, so that no two requests wait for each other's rows. */
  @GetMapping("/updates")
  @ResponseBody
  public List<World> updates(@RequestParam(required = false) String queries) {
    return rows.changed(Numbers.ids(queries).sorted());
  }

  @GetMapping("/fortunes")
  public String fortunes(Model model) {
    List<Fortune> fortunes = new ArrayList<>(rows.fortunes());
    fortunes.add(new Fortune(0, "Additional fortune added at request time."));
    fortunes.sort(Comparator.comparing(Fortune::getMessage));
    model.addAttribute("fortunes", fortunes);
    return "fortunes";
  }
}
