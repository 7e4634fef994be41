package dev.plumb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Kernel headers as bcc wants them, one tree, of whatever kernel they are: enough for tools that
 * look into user programs. Debian has them in two.
 */
final class KernelHeaders {
  /** What bcc looks for in its environment. */
  static final String NAME = "BCC_KERNEL_SOURCE";

  private KernelHeaders() {}

  static synchronized Optional<String> find(Path folder) {
    Path tree = folder.resolve("headers");
    if (Files.exists(tree)) {
      return Optional.of(tree.toString());
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
      Files.createDirectories(tree);
      Programs.run("cp", "-rs", common.get() + "/include", common.get() + "/arch", tree.toString());
      String part = own.get().toString();
      Programs.run("cp", "-rs", part + "/include", part + "/arch", tree.toString());
      return Optional.of(tree.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
