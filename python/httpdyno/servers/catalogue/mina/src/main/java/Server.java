import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.codec.ProtocolCodecFilter;
import org.apache.mina.filter.codec.ProtocolEncoderAdapter;
import org.apache.mina.filter.codec.ProtocolEncoderOutput;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** Server HOST PORT PROCESSORS NODELAY: the workloads on MINA's core, with a decoder of our own. */
final class Server extends IoHandlerAdapter {
  private static final int BACKLOG = 1024;

  public static void main(String[] args) throws IOException {
    NioSocketAcceptor acceptor = new NioSocketAcceptor(Integer.parseInt(args[2]));
    acceptor.setReuseAddress(true);
    acceptor.setBacklog(BACKLOG);
    acceptor.getSessionConfig().setTcpNoDelay(Boolean.parseBoolean(args[3]));
    acceptor
        .getFilterChain()
        .addLast("http", new ProtocolCodecFilter(new ResponseEncoder(), new RequestDecoder()));
    acceptor.setHandler(new Server());
    acceptor.bind(new InetSocketAddress(args[0], Integer.parseInt(args[1])));
  }

  @Override
  public void messageReceived(IoSession session, Object message) {
    Request request = (Request) message;
    session.write(new Response(request, Page.of(request.path(), request.query())));
    if (!request.keepsAlive()) {
      session.closeOnFlush();
    }
  }

  @Override
  public void exceptionCaught(IoSession session, Throwable cause) {
    session.closeNow();
  }

  private record Response(Request request, Page page) {}

  private static final class ResponseEncoder extends ProtocolEncoderAdapter {
    @Override
    public void encode(IoSession session, Object message, ProtocolEncoderOutput out) {
      Response response = (Response) message;
      Page page = response.page();
      byte[] body = page.bytes();
      String head =
          String.format(
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n",
              page.status(),
              page.status() == 200 ? "OK" : "Not Found",
              page.type(),
              body.length,
              response.request().keepsAlive() ? "keep-alive" : "close");
      IoBuffer buffer = IoBuffer.allocate(head.length() + body.length);
      buffer.put(head.getBytes(StandardCharsets.ISO_8859_1));
      if (!response.request().method().equals("HEAD")) {
        buffer.put(body);
      }
      out.write(buffer.flip());
    }
  }
}
