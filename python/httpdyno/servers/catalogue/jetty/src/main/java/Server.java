import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.pathmap.PathSpec;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.PathMappingsHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import pages.Pages;

/** Server HOST PORT CORES FILES: the workloads on Jetty's own handlers, without servlets. */
public final class Server {
  private interface Page {
    String of(Request request) throws Exception;
  }

  private static Handler page(String type, Page page) {
    return new Handler.Abstract() {
      @Override
      public boolean handle(Request request, Response response, Callback callback)
          throws Exception {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        Content.Sink.write(response, true, page.of(request), callback);
        return true;
      }
    };
  }

  public static void main(String[] args) throws Exception {
    ResourceHandler files = new ResourceHandler();
    files.setBaseResourceAsString(Path.of(args[3]).toString());

    PathMappingsHandler paths = new PathMappingsHandler();
    paths.addMapping(PathSpec.from("/pong"), page("text/plain", request -> "PONG"));
    paths.addMapping(PathSpec.from("/hello"), page("text/plain", request -> "Hello, world!"));
    paths.addMapping(
        PathSpec.from("/echo"),
        page(
            "text/xml",
            request -> Pages.echo(Request.extractQueryParameters(request).getValue("value"))));
    paths.addMapping(PathSpec.from("/bigtable"), page("text/html", request -> Pages.bigtable()));

    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var server = new org.eclipse.jetty.server.Server(address);
    server.setHandler(new ContextHandler(new Handler.Sequence(paths, files), "/"));
    server.setStopAtShutdown(true);
    server.start();
    server.join();
  }
}
