import java.util.Locale;

/** The head of a request, as far as a page and its connection need it. */
record Request(String method, String path, String query, String version, String connection) {
  /** Reads a head: the request line and its fields, without the empty line. */
  static Request of(String head) {
    String[] lines = head.split("\r\n");
    String[] words = lines[0].split(" ");
    if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
      throw new IllegalArgumentException("not a request line: " + lines[0]);
    }
    String connection = "";
    for (int line = 1; line < lines.length; line++) {
      if (lines[line].regionMatches(true, 0, "Connection:", 0, 11)) {
        connection = lines[line].substring(11).trim().toLowerCase(Locale.ROOT);
      }
    }
    int mark = words[1].indexOf('?');
    String path = mark < 0 ? words[1] : words[1].substring(0, mark);
    String query = mark < 0 ? "" : words[1].substring(mark + 1);
    return new Request(words[0], path, query, words[2], connection);
  }

  boolean keepsAlive() {
    return version.equals("HTTP/1.0")
        ? connection.contains("keep-alive")
        : !connection.contains("close");
  }
}
