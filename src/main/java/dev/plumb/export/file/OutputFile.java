package dev.plumb.export.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where output goes: a file, which appears complete or not at all, a device, or standard output.
 *
 * <p>A file is written under another name and then renamed, so that nobody reads half of it and a
 * failed run leaves the old file.
 */
public final class OutputFile {
  /** The file name that stands for standard output. */
  public static final String STANDARD_OUTPUT = "-";

  public static final String DISK_FULL =
      "the disk is full; free some space or choose another place";

  private OutputFile() {}

  /** Writes the output. */
  @FunctionalInterface
  public interface Body {
    void write(OutputStream out) throws IOException;
  }

  /** Writes to the file {@code target}, or to {@code standardOutput} if that is {@code -}. */
  public static void write(String target, OutputStream standardOutput, Body body) {
    if (!target.equals(STANDARD_OUTPUT)) {
      write(Path.of(target), body);
      return;
    }
    try {
      body.write(standardOutput);
      standardOutput.flush();
    } catch (IOException e) {
      // It is no failure if the reader has seen enough, like head.
      if (!String.valueOf(e.getMessage()).contains("Broken pipe")) {
        throw new OutputException("standard output: " + reason(e), e);
      }
    }
  }

  /** Fails if the file could not be written now; to be called before long work. */
  public static void requireWritable(Path target) {
    Path folder = target.toAbsolutePath().getParent();
    if (Files.isDirectory(target)) {
      throw new OutputException(target + " is a folder: name a file in it", null);
    }
    if (!Files.isDirectory(folder)) {
      throw new OutputException(
          "cannot write " + target + ": the folder does not exist; create it first", null);
    }
    if (!Files.isWritable(folder) && !Files.isWritable(target)) {
      throw new OutputException(
          "cannot write " + target + ": permission denied; choose another place or another user",
          null);
    }
  }

  public static void write(Path target, Body body) {
    try {
      if (Files.isDirectory(target)) {
        throw new OutputException(target + " is a folder: name a file in it", null);
      }
      if (Files.exists(target) && !Files.isRegularFile(target)) {
        writeInPlace(target, body);
      } else {
        replace(Files.exists(target) ? target.toRealPath() : target, body);
      }
    } catch (IOException e) {
      throw new OutputException("cannot write " + target + ": " + reason(e), e);
    }
  }

  /** Devices and pipes, which renaming would replace. */
  private static void writeInPlace(Path target, Body body) throws IOException {
    try (OutputStream out = new FileOutputStream(target.toFile())) {
      body.write(out);
    }
  }

  private static void replace(Path target, Body body) throws IOException {
    byte[] random = new byte[6];
    ThreadLocalRandom.current().nextBytes(random);
    Path part =
        target.resolveSibling(
            "." + target.getFileName() + "." + HexFormat.of().formatHex(random) + ".part");
    try {
      try (OutputStream out =
          Files.newOutputStream(part, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        body.write(out);
      }
      if (Files.exists(target)) {
        Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(target));
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  public static String reason(Exception e) {
    if (e instanceof NoSuchFileException) {
      return "the folder does not exist; create it first";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied; choose another place or another user";
    }
    String text =
        e instanceof FileSystemException failure && failure.getReason() != null
            ? failure.getReason()
            : String.valueOf(e.getMessage());
    if (text.contains("No space left")) {
      return DISK_FULL;
    }
    return text;
  }
}
