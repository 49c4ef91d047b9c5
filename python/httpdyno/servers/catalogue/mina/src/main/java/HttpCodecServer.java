import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.codec.ProtocolCodecFilter;
import org.apache.mina.http.HttpServerCodec;
import org.apache.mina.http.api.DefaultHttpResponse;
import org.apache.mina.http.api.HttpEndOfContent;
import org.apache.mina.http.api.HttpMethod;
import org.apache.mina.http.api.HttpRequest;
import org.apache.mina.http.api.HttpStatus;
import org.apache.mina.http.api.HttpVersion;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** HttpCodecServer HOST PORT PROCESSORS: the workloads on MINA's own HTTP codec, mina-http. */
final class HttpCodecServer extends IoHandlerAdapter {
  private static final int BACKLOG = 1024;

  public static void main(String[] args) throws IOException {
    NioSocketAcceptor acceptor = new NioSocketAcceptor(Integer.parseInt(args[2]));
    acceptor.setReuseAddress(true);
    acceptor.setBacklog(BACKLOG);
    acceptor.getSessionConfig().setTcpNoDelay(true);
    acceptor.getFilterChain().addLast("http", new HttpServerCodec());
    acceptor.setHandler(new HttpCodecServer());
    acceptor.bind(new InetSocketAddress(args[0], Integer.parseInt(args[1])));
  }

  @Override
  public void messageReceived(IoSession session, Object message) {
    if (message instanceof HttpRequest request) {
      String path = request.getRequestPath();
      // getParameters() is empty here, but the query is there.
      String query = request.getQueryString() == null ? "" : request.getQueryString();
      answer(session, request, Page.of(path, query));
    }
  }

  @Override
  public void exceptionCaught(IoSession session, Throwable cause) {
    session.closeNow();
  }

  private static void answer(IoSession session, HttpRequest request, Page page) {
    byte[] body = page.bytes();
    boolean keepsAlive = keepsAlive(request);
    session.write(
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1,
            page.status() == 200 ? HttpStatus.SUCCESS_OK : HttpStatus.CLIENT_ERROR_NOT_FOUND,
            Map.of(
                "Content-Type", page.type(),
                "Content-Length", Integer.toString(body.length),
                "Connection", keepsAlive ? "keep-alive" : "close")));
    if (request.getMethod() != HttpMethod.HEAD) {
      session.write(IoBuffer.wrap(body));
    }
    session.write(new HttpEndOfContent());
    if (!keepsAlive) {
      session.closeOnFlush();
    }
  }

  /** HttpRequest.isKeepAlive always answers false. */
  private static boolean keepsAlive(HttpRequest request) {
    String connection = request.getHeader("connection");
    return request.getProtocolVersion() == HttpVersion.HTTP_1_1
        ? !"close".equalsIgnoreCase(connection)
        : "keep-alive".equalsIgnoreCase(connection);
  }
}
