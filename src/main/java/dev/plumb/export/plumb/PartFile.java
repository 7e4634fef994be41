package dev.plumb.export.plumb;

import dev.plumb.export.file.OutputException;
import dev.plumb.export.file.OutputFile;
import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A {@code .plumb} file that is written part by part during a recording. Whatever ends the
 * recording, the written parts can be read.
 *
 * <p>The file gets its name with the first part that is not empty; until then, an existing file of
 * that name stays.
 */
public final class PartFile implements AutoCloseable {
  private final Path target;
  private final Path hidden;
  private final FileChannel channel;
  private final Buffer buffer = new Buffer();
  private final BlockOut blocks;
  private boolean named;
  private boolean begun;
  private long whole;

  /** By mode. */
  private final Map<String, Long> unwritten = new HashMap<>();

  private PartFile(Path target, Path hidden, FileChannel channel) throws IOException {
    this.target = target;
    this.hidden = hidden;
    this.channel = channel;
    this.blocks = new BlockOut(buffer);
    write(); // the head, before the disk may be full
  }

  /** Begins a file that will become {@code target}. */
  public static PartFile create(Path target) {
    byte[] random = new byte[6];
    ThreadLocalRandom.current().nextBytes(random);
    Path absolute = target.toAbsolutePath();
    Path hidden =
        absolute.resolveSibling(
            "." + absolute.getFileName() + "." + HexFormat.of().formatHex(random) + ".part");
    try {
      FileChannel channel =
          FileChannel.open(
              hidden,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE_NEW);
      return new PartFile(absolute, hidden, channel);
    } catch (IOException e) {
      throw new OutputException("cannot write " + target + ": " + OutputFile.reason(e), e);
    }
  }

  /**
   * Adds a part. If the disk is full, the part is left out and its samples are counted in {@link
   * #unwritten}; the parts before it stay complete.
   */
  public void add(Recording part) {
    try {
      PlumbWriter.part(begun ? PlumbFormat.PART : PlumbFormat.RUN, part, blocks, "");
      write();
      begun = true;
      if (!named && part.profiles().stream().anyMatch(profile -> profile.rows() > 0)) {
        name();
      }
    } catch (IOException | UncheckedIOException e) {
      part.profiles().forEach(this::lose);
      takeBack();
    }
  }

  /** Marks the file as complete. */
  public void finish() {
    if (!begun && !unwritten.isEmpty()) {
      throw new OutputException("cannot write " + target + ": " + OutputFile.DISK_FULL, null);
    }
    try {
      blocks.block(PlumbFormat.END, new VarOut());
      write();
      if (!named) {
        name();
      }
    } catch (IOException e) {
      takeBack();
    }
  }

  private void name() throws IOException {
    Files.move(hidden, target, StandardCopyOption.ATOMIC_MOVE);
    named = true;
  }

  private void write() throws IOException {
    ByteBuffer bytes = buffer.bytes();
    long at = whole;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
    whole = at;
    buffer.reset();
  }

  /** Cuts off an incomplete part. */
  private void takeBack() {
    buffer.reset();
    try {
      channel.truncate(whole);
    } catch (IOException e) {
      // A reader stops at an incomplete part.
    }
  }

  /** Includes the samples that the part itself had lost, because nothing else reports them. */
  private void lose(Profile profile) {
    long due = profile.quality().samples() + profile.quality().lostTotal();
    unwritten.merge(profile.mode(), due, Long::sum);
  }

  /** The samples of parts that could not be written, by mode. */
  public Map<String, Long> unwritten() {
    return Collections.unmodifiableMap(unwritten);
  }

  /** Whether a part was written. */
  public boolean isBegun() {
    return begun;
  }

  /** The file's current path. */
  public Path path() {
    return named ? target : hidden;
  }

  /** Deletes the file, because its content is elsewhere or empty. */
  public void delete() {
    try {
      Files.deleteIfExists(path());
    } catch (IOException e) {
      // A leftover file does no harm.
    }
  }

  /** Ends writing; deletes the file if it never got its name. */
  @Override
  public void close() {
    blocks.close();
    try {
      channel.close();
      if (!named) {
        Files.deleteIfExists(hidden);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Collects a part, which is then written at once, so that it is complete or can be cut off. */
  private static final class Buffer extends ByteArrayOutputStream {
    private static final int KEPT = 1 << 20;

    ByteBuffer bytes() {
      return ByteBuffer.wrap(buf, 0, count);
    }

    @Override
    public synchronized void reset() {
      super.reset();
      if (buf.length > KEPT) {
        buf = new byte[KEPT];
      }
    }
  }
}
