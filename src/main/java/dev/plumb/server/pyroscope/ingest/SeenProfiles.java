package dev.plumb.server.pyroscope.ingest;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Remembers which profiles were stored, so that a profile that a client sends again because it
 * missed the answer counts once. Only the latest are remembered, for an hour.
 */
final class SeenProfiles {
  /** Identifies a profile; a digest, because ids may have any length. */
  private record Key(long high, long low) {}

  private static final int MOST = 10_000;
  private static final long NANOS = Duration.ofHours(1).toNanos();
  private static final long BEING_STORED = Long.MIN_VALUE;

  private final LongSupplier uptimeNanos;

  /** When each profile was stored, the oldest first. */
  private final Map<Key, Long> seen = new LinkedHashMap<>();

  SeenProfiles(LongSupplier uptimeNanos) {
    this.uptimeNanos = uptimeNanos;
  }

  /**
   * Stores a profile unless it was stored before.
   *
   * @param id the client's id of the profile; empty if it has none
   * @return whether the profile was stored now
   */
  boolean once(SeriesLabels series, String id, Runnable store) {
    if (id.isEmpty()) {
      store.run();
      return true;
    }
    Key key = key(series, id);
    if (!begin(key)) {
      return false;
    }
    boolean done = false;
    try {
      store.run();
      done = true;
    } finally {
      end(key, done);
    }
    return true;
  }

  private synchronized boolean begin(Key key) {
    forgetOld();
    Long known = seen.putIfAbsent(key, BEING_STORED);
    if (known != null && known == BEING_STORED) {
      // Whether storing it will succeed is not known yet.
      throw new Refusal(
          ErrorCode.UNAVAILABLE, "the same profile is being stored: send it again in a moment");
    }
    return known == null;
  }

  private synchronized void end(Key key, boolean done) {
    seen.remove(key);
    if (done) {
      seen.put(key, uptimeNanos.getAsLong());
    }
  }

  private void forgetOld() {
    long now = uptimeNanos.getAsLong();
    for (Iterator<Long> each = seen.values().iterator(); each.hasNext(); ) {
      long at = each.next();
      if (at == BEING_STORED) {
        continue; // as few as requests are under way
      }
      if (seen.size() < MOST && now - at < NANOS) {
        break;
      }
      each.remove();
    }
  }

  synchronized int size() {
    return seen.size();
  }

  /** The same id with other labels is another profile. */
  private static Key key(SeriesLabels series, String id) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(id.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      ByteBuffer bytes =
          ByteBuffer.wrap(digest.digest(series.whole().getBytes(StandardCharsets.UTF_8)));
      return new Key(bytes.getLong(), bytes.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
