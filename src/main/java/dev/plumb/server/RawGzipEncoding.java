package dev.plumb.server;

import dev.plumb.server.http.RequestBody;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncoding;
import java.util.Set;

/** Passes gzipped bodies on as they are: {@link RequestBody} unpacks them, within limits. */
final class RawGzipEncoding implements ContentEncoding {
  @Override
  public Set<String> ids() {
    return Set.of("gzip", "x-gzip");
  }

  @Override
  public boolean supportsEncoding() {
    return false;
  }

  @Override
  public boolean supportsDecoding() {
    return true;
  }

  @Override
  public ContentDecoder decoder() {
    return ContentDecoder.NO_OP;
  }

  @Override
  public ContentEncoder encoder() {
    return ContentEncoder.NO_OP;
  }

  @Override
  public String name() {
    return "packed";
  }

  @Override
  public String type() {
    return "packed";
  }
}
