package dev.plumb.scenario;

import dev.plumb.testing.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Kernel headers as bcc wants them, one tree, of whatever kernel they are: enough for tools that
 * look into user programs. Debian has them in two. They are thousands of links, made once.
 */
public final class KernelHeaders {
  /** What bcc looks for in its environment. */
  public static final String NAME = "BCC_KERNEL_SOURCE";

  private static final Path TREE = Path.of("target/headers").toAbsolutePath();

  private KernelHeaders() {}

  public static synchronized Optional<String> find() {
    if (Files.exists(TREE)) {
      return Optional.of(TREE.toString());
    }
    Path sources = Path.of("/usr/src");
    if (!Files.isDirectory(sources)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(sources)) {
      List<Path> all =
          files.filter(f -> f.getFileName().toString().startsWith("linux-headers-")).toList();
      Optional<Path> common = all.stream().filter(f -> f.toString().endsWith("-common")).findAny();
      Optional<Path> own = all.stream().filter(f -> f.toString().endsWith("-amd64")).findAny();
      if (common.isEmpty() || own.isEmpty()) {
        return Optional.empty();
      }
      Path unfinished = Files.createTempDirectory(TREE.getParent(), "headers");
      for (Path part : List.of(common.get(), own.get())) {
        Programs.run("cp", "-rs", part + "/include", part + "/arch", unfinished.toString());
      }
      Files.move(unfinished, TREE);
      return Optional.of(TREE.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
