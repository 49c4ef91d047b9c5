import java.io.IOException;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.RequestExecutorProvider;
import org.glassfish.grizzly.http.server.RequestExecutorProvider.SameThreadProvider;
import org.glassfish.grizzly.http.server.RequestExecutorProvider.WorkerThreadProvider;
import org.glassfish.grizzly.http.server.Response;
import org.glassfish.grizzly.http.server.ServerConfiguration;
import pages.Pages;

/** Server HOST PORT SELECTORS same-thread|worker-thread: the workloads on Grizzly's HTTP server. */
final class Server {
  private static final int UNLIMITED = -1;

  public static void main(String[] args) throws IOException, InterruptedException {
    NetworkListener listener = new NetworkListener("http", args[0], Integer.parseInt(args[1]));
    listener.getKeepAlive().setMaxRequestsCount(UNLIMITED);
    listener.getTransport().setSelectorRunnersCount(Integer.parseInt(args[2]));

    RequestExecutorProvider threads =
        args[3].equals("same-thread") ? new SameThreadProvider() : new WorkerThreadProvider();
    HttpServer server = new HttpServer();
    server.addListener(listener);
    ServerConfiguration routes = server.getServerConfiguration();
    routes.addHttpHandler(new Page(threads, "text/plain", request -> "PONG"), "/pong");
    routes.addHttpHandler(new Page(threads, "text/plain", request -> "Hello, world!"), "/hello");
    routes.addHttpHandler(new Page(threads, "text/xml", Server::echo), "/echo");
    server.start();
    Thread.currentThread().join();
  }

  private static String echo(Request request) {
    return Pages.echo(request.getParameter("value"));
  }

  private interface Body {
    String of(Request request);
  }

  private static final class Page extends HttpHandler {
    private final RequestExecutorProvider threads;
    private final String type;
    private final Body body;

    Page(RequestExecutorProvider threads, String type, Body body) {
      this.threads = threads;
      this.type = type;
      this.body = body;
    }

    @Override
    public RequestExecutorProvider getRequestExecutorProvider() {
      return threads;
    }

    @Override
    public void service(Request request, Response response) throws IOException {
      response.setContentType(type);
      response.setCharacterEncoding("UTF-8");
      response.getWriter().write(body.of(request));
    }
  }
}
