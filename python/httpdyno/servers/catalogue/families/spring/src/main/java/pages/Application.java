package pages;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/** The workloads as methods of a Spring controller; the file is a static resource. */
@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @GetMapping(path = "/pong", produces = MediaType.TEXT_PLAIN_VALUE)
  public String pong() {
    return "PONG";
  }

  @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
  public String hello() {
    return "Hello, world!";
  }

  @GetMapping(path = "/echo", produces = MediaType.TEXT_XML_VALUE)
  public String echo(@RequestParam(required = false) String value) {
    return value == null
        ? "<http_test><error>no value specified</error></http_test>"
        : "<http_test><value>" + HtmlUtils.htmlEscape(value) + "</value></http_test>";
  }

  @GetMapping(path = "/bigtable", produces = MediaType.TEXT_HTML_VALUE)
  public String bigtable() {
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
