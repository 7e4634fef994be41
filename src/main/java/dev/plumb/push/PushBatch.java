package dev.plumb.push;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A request that waits to be sent.
 *
 * @param path the path below the receiver's URL
 * @param samples the number of samples in the request, for the counters
 */
record PushBatch(String path, String contentType, long samples, byte[] body) {
  /** The same content as several smaller requests; none if it cannot be split. */
  List<PushBatch> parts() {
    if (!path.equals(PyroscopePush.PATH)) {
      return OtlpSplitter.halves(this);
    }
    List<PyroscopePush> profiles = PyroscopePush.profiles(this);
    List<PyroscopePush> parts = profiles.size() == 1 ? profiles.getFirst().halves() : profiles;
    return parts.stream().map(PyroscopePush::batch).toList();
  }

  /** Whether a receiver might take only some of it without saying which. */
  boolean hasSeveralProfiles() {
    return PyroscopePush.profiles(this).size() > 1;
  }

  /** The size that a receiver's limits count. */
  long unpackedBytes() {
    return path.equals(PyroscopePush.PATH)
        ? PyroscopePush.profiles(this).stream().mapToLong(PyroscopePush::unpackedBytes).sum()
        : body.length;
  }

  /** The form on disk. */
  byte[] toBytes() {
    byte[] pathBytes = path.getBytes(StandardCharsets.UTF_8);
    byte[] typeBytes = contentType.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(16 + pathBytes.length + typeBytes.length + body.length)
        .putInt(pathBytes.length)
        .putInt(typeBytes.length)
        .putLong(samples)
        .put(pathBytes)
        .put(typeBytes)
        .put(body)
        .array();
  }

  /** Reads the form on disk; throws IllegalArgumentException if the bytes are something else. */
  static PushBatch of(byte[] bytes) {
    if (bytes.length < 16) {
      throw new IllegalArgumentException("too short");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int pathLength = in.getInt();
    int typeLength = in.getInt();
    long samples = in.getLong();
    if (pathLength < 0
        || typeLength < 0
        || (long) pathLength + typeLength > in.remaining()
        || pathLength > 1024
        || typeLength > 1024) {
      throw new IllegalArgumentException("no batch");
    }
    String path = text(in, pathLength);
    String type = text(in, typeLength);
    byte[] body = new byte[in.remaining()];
    in.get(body);
    return new PushBatch(path, type, samples, body);
  }

  private static String text(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
