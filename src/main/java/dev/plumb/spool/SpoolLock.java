package dev.plumb.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Lets only one process write to a spool; the kernel releases the lock however it ends. */
public final class SpoolLock implements AutoCloseable {
  private final FileChannel channel;

  private SpoolLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Locks a spool; empty if another process has locked it. */
  public static Optional<SpoolLock> take(Path folder) throws IOException {
    Path file = folder.resolve("lock");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      return Optional.empty();
    }
    channel.truncate(0);
    String pid = ProcessHandle.current().pid() + "\n";
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
    return Optional.of(new SpoolLock(channel));
  }

  /** The pid of the process that locked it last. */
  public static String owner(Path folder) throws IOException {
    return Files.readString(folder.resolve("lock")).strip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
