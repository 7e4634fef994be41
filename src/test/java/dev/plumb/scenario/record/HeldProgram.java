package dev.plumb.scenario.record;

import dev.plumb.testing.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that waits, in a shell with its pid, until all who want to watch it are there. Its
 * standard input comes from {@link #go} too.
 */
public final class HeldProgram implements AutoCloseable {
  private final Path pidFile;
  private final Path fifo;
  private final RandomAccessFile writer;

  public HeldProgram(Path folder) {
    pidFile = folder.resolve("held-pid");
    fifo = folder.resolve("held-fifo");
    Programs.run("mkfifo", fifo.toString());
    try {
      writer = new RandomAccessFile(fifo.toFile(), "rw"); // so that nobody waits for the other end
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What to run; the program has no words with blanks. */
  public List<String> command(String... program) {
    String script =
        "echo $$ > %s.new; mv %s.new %s; read x < %s; exec %s < %s"
            .formatted(pidFile, pidFile, pidFile, fifo, String.join(" ", program), fifo);
    return List.of("sh", "-c", script);
  }

  /** Words before {@link #command}, as one array. */
  public String[] after(List<String> words, String... program) {
    List<String> all = new ArrayList<>(words);
    all.addAll(command(program));
    return all.toArray(String[]::new);
  }

  /** Its process, once it is there. */
  public int pid() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!Files.exists(pidFile)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it does not start");
      }
      Thread.sleep(20);
    }
    return Integer.parseInt(Files.readString(pidFile).strip());
  }

  /** Lets it begin; or gives it another line to read. */
  public void go() throws IOException {
    writer.write('\n');
  }

  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
