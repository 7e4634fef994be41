package dev.plumb.testing;

import dev.plumb.cli.Plumb;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Plumb as a user has it: the launcher, its scripts and a jar made of the classes under test, in a
 * folder that everybody may read. What runs is a process of its own.
 */
public final class Installation {
  /** How a run ended. */
  public record Result(int code, String out, String err) {}

  private final Path home;

  private Installation(Path home) {
    this.home = home;
  }

  /** Installs into an empty folder. */
  public static Installation in(Path home) {
    Path master = Master.HOME;
    try (Stream<Path> files = Files.walk(master)) {
      Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
      for (Path file : files.filter(file -> !file.equals(master)).toList()) {
        Path copy = home.resolve(master.relativize(file));
        Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
      return new Installation(home);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What all are copies of, with the JVM's cache, which takes seconds to make. */
  private static final class Master {
    static final Path HOME = make();

    private static Path make() {
      try {
        Path home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "installation");
        // The launcher builds when a source is newer than the jar.
        Files.createDirectories(home.resolve("src/main"));
        Files.createFile(home.resolve("pom.xml"));
        Files.createDirectories(home.resolve("scripts"));
        Files.createDirectories(home.resolve("target"));
        Installation.copy(Path.of("plumb"), home.resolve("plumb"));
        Installation.copy(Path.of("scripts/java-home"), home.resolve("scripts/java-home"));
        List<Path> libraries = new ArrayList<>();
        for (Class<?> needed :
            List.of(
                picocli.CommandLine.class,
                io.airlift.compress.v3.zstd.ZstdJavaDecompressor.class)) {
          Path library = Jvm.location(needed);
          Installation.copy(library, home.resolve("target").resolve(library.getFileName()));
          libraries.add(library.getFileName());
        }
        makeJar(home.resolve("target/plumb.jar"), libraries);
        Result first = new Installation(home).plumb("--version"); // makes the cache
        if (first.code() != 0) {
          throw new IllegalStateException(first.err());
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(home.toFile())));
        return home;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void delete(File file) {
    File[] inside = file.listFiles();
    if (inside != null) {
      Arrays.stream(inside).forEach(Installation::delete);
    }
    file.delete();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to);
    Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void makeJar(Path jar, List<Path> libraries) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, Plumb.class.getName());
    main.put(new Attributes.Name("Enable-Native-Access"), "ALL-UNNAMED");
    main.put(
        Attributes.Name.CLASS_PATH,
        String.join(" ", libraries.stream().map(Path::toString).toList()));
    Path classes = Jvm.location(Plumb.class);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path path : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(path).toString()));
        Files.copy(path, out);
      }
    }
  }

  /** The file of the {@code plumb} command. */
  public Path launcher() {
    return home.resolve("plumb");
  }

  /** A folder that everybody may write to. */
  public Path publicFolder(String name) {
    try {
      Path folder = Files.createDirectories(home.resolve(name));
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a command line, for example the launcher behind {@code setpriv …}. */
  public Started start(List<String> command) {
    try {
      Path out = Files.createTempFile(home, "out", "");
      Path err = Files.createTempFile(home, "err", "");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(home.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      return new Started(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs {@code plumb …} to its end. */
  public Result plumb(String... args) {
    return behind(List.of(), args);
  }

  /** Runs {@code plumb …} behind other words, for example {@code setpriv --reuid=…}. */
  public Result behind(List<String> words, String... args) {
    List<String> command = new ArrayList<>(words);
    command.add(launcher().toString());
    command.addAll(Arrays.asList(args));
    try (Started started = start(command)) {
      return started.end(120);
    }
  }

  /** A process that runs; ends with its block. */
  public record Started(Process process, Path out, Path err) implements AutoCloseable {
    public int pid() {
      return (int) process.pid();
    }

    /** What it wrote to standard error so far. */
    public String errors() {
      return read(err);
    }

    public Result end(int withinSeconds) {
      try {
        if (!process.waitFor(withinSeconds, TimeUnit.SECONDS)) {
          throw new AssertionError("it does not end:\n" + read(err));
        }
        return new Result(process.exitValue(), read(out), read(err));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private static String read(Path file) {
      try {
        return Files.readString(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
