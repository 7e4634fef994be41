package dev.plumb.server.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/**
 * A request body as it arrives. A body that is too long is refused, and so is one that arrives too
 * slowly: after the first seconds, its average rate must be one that every network reaches.
 */
final class LimitedBodyStream extends FilterInputStream {
  static final long GRACE_SECONDS = 10;
  static final long LEAST_BYTES_A_SECOND = 4 * 1024;
  static final long LONGEST_SECONDS = 60;

  private final int max;
  private final long startNanos = System.nanoTime();
  private long count;

  LimitedBodyStream(InputStream in, int max) {
    super(in);
    this.max = max;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int read = super.read(buffer, offset, length);
    if (read > 0) {
      count += read;
      if (count > max) {
        throw RequestBody.tooLarge(max);
      }
      checkRate();
    }
    return read;
  }

  private void checkRate() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
    boolean slow = count < (seconds - GRACE_SECONDS) * LEAST_BYTES_A_SECOND;
    if (slow || seconds >= LONGEST_SECONDS) {
      throw new Refusal(ErrorCode.TIMEOUT, "the request took too long to arrive; send it again");
    }
  }
}
