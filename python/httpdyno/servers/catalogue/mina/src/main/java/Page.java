import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import pages.Pages;

/** What is answered to a path and a query, whoever speaks HTTP around it. */
record Page(int status, String type, String body) {
  private static final String VALUE = "value=";

  /** The page of a request. {@code query} is the part after the question mark, or empty. */
  static Page of(String path, String query) {
    return switch (path) {
      case "/pong" -> new Page(200, "text/plain", "PONG");
      case "/hello" -> new Page(200, "text/plain", "Hello, world!");
      case "/echo" -> new Page(200, "text/xml", echo(query));
      default -> new Page(404, "text/plain", "not found");
    };
  }

  byte[] bytes() {
    return body.getBytes(StandardCharsets.UTF_8);
  }

  private static String echo(String query) {
    for (String parameter : query.split("&")) {
      if (parameter.startsWith(VALUE)) {
        String encoded = parameter.substring(VALUE.length());
        return Pages.echo(URLDecoder.decode(encoded, StandardCharsets.UTF_8));
      }
    }
    return Pages.echo(null);
  }
}
