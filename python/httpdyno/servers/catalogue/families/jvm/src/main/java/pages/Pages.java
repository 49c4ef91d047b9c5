package pages;

/** The pages of the workloads. */
public final class Pages {
  private Pages() {}

  public static String echo(String value) {
    return value == null
        ? "<http_test><error>no value specified</error></http_test>"
        : "<http_test><value>" + escaped(value) + "</value></http_test>";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  public static String bigtable() {
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
