package dev.plumb.symbols;

import dev.plumb.linux.FileIdentity;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The folder for decompressed sections ({@link DecompressedSections}) and {@link IndexFiles}. It
 * has a size limit; the least recently used files are deleted first. A deleted file stays usable
 * for whoever has it mapped. Only files named as we name them count.
 */
final class SymbolCacheFolder {
  /** The number at the end is the format's version: files of other versions are not ours. */
  private static final Pattern OURS =
      Pattern.compile("[0-9a-f]{1,40}-[0-9a-f]{16}-[a-z_]{1,20}\\.v1");

  private static final Pattern BEGUN = Pattern.compile("begun-.{1,40}\\.v1");

  /** The default size limit, on disk. */
  private static final long DEFAULT_CEILING = 512L << 20;

  /** Decompressing takes less than this. */
  private static final Duration ABANDONED = Duration.ofHours(1);

  private final Path folder;
  private final long ceiling;

  /** A file in the folder. */
  private record Entry(Path file, long size, Instant used) {}

  SymbolCacheFolder(Path folder, long ceiling) {
    this.folder = folder;
    this.ceiling = ceiling;
  }

  /** The user's folder for such files; empty if there is none. */
  static Optional<SymbolCacheFolder> ofUser(Map<String, String> environment) {
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    if (!caches.startsWith("/") && !home.startsWith("/")) {
      return Optional.empty();
    }
    Path folder = caches.startsWith("/") ? Path.of(caches) : Path.of(home, ".cache");
    return Optional.of(new SymbolCacheFolder(folder.resolve("plumb/symbols"), DEFAULT_CEILING));
  }

  long ceiling() {
    return ceiling;
  }

  /** The prefix of the names of all files that belong to a file; 0 stands for no build id. */
  static String owner(String buildId, FileIdentity identity) {
    return (buildId.isEmpty() ? "0" : buildId.substring(0, Math.min(40, buildId.length())))
        + "-%016x".formatted(identity.inode() ^ identity.modifiedNanos());
  }

  /** Whether the folder, or the one in which it would be created, belongs to that user. */
  boolean isOurs(int user) throws IOException {
    Path place = folder;
    while (place != null && !Files.exists(place)) {
      place = place.getParent();
    }
    return place != null && IndexFiles.uid(place.toRealPath()) == user;
  }

  Path file(String owner, String section) {
    return folder.resolve(owner + "-" + section + ".v1");
  }

  /** A new file to write to. */
  Path begin() throws IOException {
    return Files.createTempFile(folder, "begun-", ".v1");
  }

  /** Creates the folder and makes room in it; false if there cannot be so much room. */
  boolean makeRoom(long wanted) throws IOException {
    if (wanted > ceiling) {
      return false;
    }
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    List<Entry> entries = entries();
    entries.sort(Comparator.comparing(Entry::used));
    long total = entries.stream().mapToLong(Entry::size).sum();
    for (Entry entry : entries) {
      if (total + wanted <= ceiling) {
        break;
      }
      Files.deleteIfExists(entry.file());
      total -= entry.size();
    }
    // A full disk is worse than missing names.
    return Files.getFileStore(folder).getUsableSpace() / 2 > wanted;
  }

  private static Entry entry(Path file) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return new Entry(file, attributes.size(), attributes.lastModifiedTime().toInstant());
    } catch (NoSuchFileException e) {
      return new Entry(file, 0, Instant.now()); // another Plumb removed it
    }
  }

  /** Lists the files; deletes those that somebody began and never finished. */
  private List<Entry> entries() throws IOException {
    Instant oldest = Instant.now().minus(ABANDONED);
    List<Entry> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.v1")) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!OURS.matcher(name).matches() && !BEGUN.matcher(name).matches()) {
          continue;
        }
        Entry entry = entry(file);
        if (OURS.matcher(name).matches()) {
          found.add(entry);
        } else if (entry.used().isBefore(oldest)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }
}
