import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import pages.Pages;

/** Server HOST PORT THREADS epoll|nio: the workloads on Netty's HTTP codec. */
final class Server extends ChannelInitializer<Channel> {
  private static final int LARGEST_REQUEST_BODY = 64 * 1024;

  public static void main(String[] args) throws InterruptedException {
    String host = args[0];
    int port = Integer.parseInt(args[1]);
    int threads = Integer.parseInt(args[2]);
    boolean epoll = args[3].equals("epoll");
    new ServerBootstrap()
        .group(
            new MultiThreadIoEventLoopGroup(
                threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory()))
        .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
        .childHandler(new Server())
        .bind(host, port)
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }

  @Override
  protected void initChannel(Channel channel) {
    channel
        .pipeline()
        .addLast(
            new HttpServerCodec(),
            new HttpServerKeepAliveHandler(),
            new HttpObjectAggregator(LARGEST_REQUEST_BODY),
            new Handler());
  }

  private static final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (request.decoderResult().isFailure()) {
        context
            .writeAndFlush(
                response(request, HttpResponseStatus.BAD_REQUEST, "text/plain", "bad request"))
            .addListener(ChannelFutureListener.CLOSE);
        return;
      }
      context.write(answer(request));
    }

    /** One flush for all the requests that one read brought. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  private static FullHttpResponse answer(FullHttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    return switch (uri.path()) {
      case "/pong" -> response(request, HttpResponseStatus.OK, "text/plain", "PONG");
      case "/hello" -> response(request, HttpResponseStatus.OK, "text/plain", "Hello, world!");
      case "/echo" -> response(request, HttpResponseStatus.OK, "text/xml", echo(uri));
      default -> response(request, HttpResponseStatus.NOT_FOUND, "text/plain", "not found");
    };
  }

  private static String echo(QueryStringDecoder uri) {
    List<String> values = uri.parameters().get("value");
    return Pages.echo(values == null ? null : values.get(0));
  }

  private static FullHttpResponse response(
      FullHttpRequest request, HttpResponseStatus status, String type, String body) {
    ByteBuf content = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
    FullHttpResponse response =
        new DefaultFullHttpResponse(request.protocolVersion(), status, content);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .setInt(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
    HttpUtil.setKeepAlive(response, HttpUtil.isKeepAlive(request));
    return response;
  }
}
