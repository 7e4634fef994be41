package dev.plumb.spool;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.plumb.PlumbWriter;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

/**
 * Writes recordings to a spool, each to a file that gets its name when it is complete. For one
 * thread.
 */
public final class SpoolWriter {
  /** The reason for losing samples that did not fit into the spool. */
  public static final String LOST = "not kept: the disk was full";

  private static final String PART = ".part";

  private final Path folder;
  private final long maxBytes;
  private final String source;
  private long number;

  /** Samples that were not written, by mode; the next recording to be written reports them. */
  private final Map<String, Long> unwritten = new HashMap<>();

  /**
   * A spool in a folder, which is created if missing.
   *
   * @param maxBytes what all its files may take together; beyond that, recordings are refused
   */
  public SpoolWriter(Path folder, long maxBytes) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    this.folder = folder;
    this.maxBytes = maxBytes;
    byte[] random = new byte[8];
    new SecureRandom().nextBytes(random);
    this.source = HexFormat.of().formatHex(random);
  }

  /**
   * Writes a recording. If the disk or the spool is full, the samples count as lost in the next
   * recording that is written.
   *
   * @return why the recording could not be written; empty if it was
   */
  public String add(Recording recording) {
    Path part = folder.resolve(source + PART);
    try {
      if (bytes() > maxBytes) {
        throw new IOException(
            "the spool is larger than %d MB; is the server there?".formatted(maxBytes >> 20));
      }
      Set<StandardOpenOption> options =
          EnumSet.of(
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING);
      try (OutputStream out =
          new BufferedOutputStream(
              java.nio.channels.Channels.newOutputStream(
                  Files.newByteChannel(
                      part,
                      options,
                      PosixFilePermissions.asFileAttribute(
                          PosixFilePermissions.fromString("rw-------")))),
              1 << 16)) {
        new PlumbWriter().write(withLosses(recording), out, WriteOptions.DEFAULT);
      }
      Path file = folder.resolve("%s-%012d%s".formatted(source, ++number, SpoolFile.EXTENSION));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      unwritten.clear();
      return "";
    } catch (IOException e) {
      for (Profile profile : recording.profiles()) {
        unwritten.merge(profile.mode(), profile.quality().samples(), Long::sum);
      }
      deleteQuietly(part);
      return e.getMessage();
    }
  }

  private Recording withLosses(Recording recording) {
    return unwritten.isEmpty()
        ? recording
        : new Recording(
            recording.startNanos(),
            recording.durationNanos(),
            recording.profiles().stream()
                .map(
                    profile ->
                        profile.withQuality(
                            profile
                                .quality()
                                .plusLost(LOST, unwritten.getOrDefault(profile.mode(), 0L))))
                .toList(),
            recording.facts());
  }

  private long bytes() throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        try {
          bytes += Files.size(file);
        } catch (IOException e) {
          // The reader has deleted it meanwhile.
        }
      }
    }
    return bytes;
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next recording overwrites it.
    }
  }
}
