import java.nio.charset.StandardCharsets;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.codec.CumulativeProtocolDecoder;
import org.apache.mina.filter.codec.ProtocolDecoderOutput;

/** Cuts what comes in at each empty line: requests without a body, one after the other. */
final class RequestDecoder extends CumulativeProtocolDecoder {
  private static final int LARGEST_HEAD = 8 * 1024;

  @Override
  protected boolean doDecode(IoSession session, IoBuffer in, ProtocolDecoderOutput out) {
    int start = in.position();
    for (int at = start; at + 3 < in.limit(); at++) {
      if (endsHead(in, at)) {
        byte[] head = new byte[at - start];
        in.get(head);
        in.position(at + 4);
        out.write(Request.of(new String(head, StandardCharsets.ISO_8859_1)));
        return true;
      }
    }
    if (in.remaining() > LARGEST_HEAD) {
      throw new IllegalArgumentException("a head of more than " + LARGEST_HEAD + " bytes");
    }
    return false;
  }

  private static boolean endsHead(IoBuffer in, int at) {
    return in.get(at) == '\r'
        && in.get(at + 1) == '\n'
        && in.get(at + 2) == '\r'
        && in.get(at + 3) == '\n';
  }
}
