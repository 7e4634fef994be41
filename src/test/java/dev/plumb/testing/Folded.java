package dev.plumb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** A folded file as tests look at it: lines of root-first stacks and values. */
public record Folded(List<Line> lines) {
  /** One stack; the first frame is the process. */
  public record Line(List<String> frames, long value) {
    public boolean has(String frame) {
      return frames.contains(frame);
    }

    public String leaf() {
      return frames.getLast();
    }
  }

  public static Folded read(Path file) {
    try {
      return new Folded(
          Files.readAllLines(file).stream()
              .map(
                  line -> {
                    int blank = line.lastIndexOf(' ');
                    return new Line(
                        List.of(line.substring(0, blank).split(";")),
                        Long.parseLong(line.substring(blank + 1)));
                  })
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long total() {
    return sum(line -> true);
  }

  public long sum(Predicate<Line> which) {
    return lines.stream().filter(which).mapToLong(Line::value).sum();
  }

  public long with(String frame) {
    return sum(line -> line.has(frame));
  }
}
