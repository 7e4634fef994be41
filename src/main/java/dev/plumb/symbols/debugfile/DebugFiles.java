package dev.plumb.symbols.debugfile;

import dev.plumb.dwarf.AlternateLink;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.RootFolder;
import dev.plumb.linux.SystemCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds separate debug files below one root, in gdb's order: by build id in {@code
 * /usr/lib/debug/.build-id}; by the name in {@code .gnu_debuglink} beside the file, in {@code
 * .debug} beside it, and in its folder below {@code /usr/lib/debug}.
 *
 * <p>It refuses a file with another build id, and one whose CRC is not that of the link. It accepts
 * a file that is too large for the CRC only if the build ids match.
 */
public final class DebugFiles implements AutoCloseable {
  private static final String GLOBAL = "/usr/lib/debug";
  private static final long MAX_CHECKED = 1L << 30;
  private static final int MAX_REFUSALS = 100;

  /** The total number of bytes read to check files: many links may lead to one large file. */
  private static final long MAX_CHECKED_IN_ALL = 4 * MAX_CHECKED;

  private final RootFolder root;
  private final boolean owner;
  private final List<String> refusals = new ArrayList<>();
  private long checked;

  private DebugFiles(RootFolder root, boolean owner) {
    this.root = root;
    this.owner = owner;
  }

  /** For the files of this machine. Empty if its root cannot be opened. */
  public static Optional<DebugFiles> ofHost() {
    return of("/");
  }

  /**
   * For the files that a process sees, such as a container's; empty if it is gone or access is
   * denied.
   */
  public static Optional<DebugFiles> of(int pid) {
    return of("/proc/" + pid + "/root");
  }

  static Optional<DebugFiles> of(String root) {
    return RootFolder.open(root).map(folder -> new DebugFiles(folder, true));
  }

  /** For a root that is already open; the caller still closes it. */
  public static DebugFiles in(RootFolder root) {
    return new DebugFiles(root, false);
  }

  /**
   * The debug file of {@code elf}.
   *
   * @param path of {@code elf} below the root, absolute; empty to search by build id alone
   */
  public Optional<DebugFile> find(ElfFile elf, String path) {
    String id = buildId(elf);
    Optional<DebugLink> link = DebugLink.of(elf);
    for (String place : places(elf, path)) {
      boolean byId = !id.isEmpty() && place.equals(pathOf(id));
      Optional<DebugFile> found =
          open(place, c -> byId ? hasId(c, id) : belongs(c, id, link.orElseThrow()));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** The paths where the debug file of {@code elf} may be, in the order of the search. */
  public List<String> places(ElfFile elf, String path) {
    List<String> places = new ArrayList<>();
    String id = buildId(elf);
    if (!id.isEmpty()) {
      places.add(pathOf(id));
    }
    Optional<DebugLink> link = DebugLink.of(elf);
    if (link.isPresent() && path.startsWith("/")) {
      String folder = path.substring(0, path.lastIndexOf('/') + 1);
      for (String place : List.of(folder, folder + ".debug/", GLOBAL + folder)) {
        places.add(place + link.get().fileName());
      }
    }
    places.remove(path);
    return places;
  }

  /**
   * The file that dwz moved parts of {@code elf}'s debug information to, found by the path in
   * {@code .gnu_debugaltlink}, by its build id or by its name.
   *
   * @param path of {@code elf} below the root: relative links start there
   */
  public Optional<DebugFile> findAlternate(ElfFile elf, String path) {
    Optional<AlternateLink> link = AlternateLink.of(elf);
    if (link.isEmpty() || link.get().path().isEmpty() || link.get().buildId().length() < 4) {
      return Optional.empty();
    }
    String id = link.get().buildId();
    String named = link.get().path();
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    for (String place :
        List.of(
            named.startsWith("/") ? named : folder + named,
            pathOf(id),
            GLOBAL + "/.dwz/" + named.substring(named.lastIndexOf('/') + 1))) {
      Optional<DebugFile> found = open(place, candidate -> hasId(candidate, id));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** The ELF file at a path, whatever is in it. */
  public Optional<DebugFile> openElf(String path) {
    return open(path, candidate -> true);
  }

  private static String pathOf(String id) {
    return GLOBAL + "/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
  }

  private Optional<DebugFile> open(String path, Predicate<Candidate> accepted) {
    Optional<Fd> fd = root.openFile(path);
    if (fd.isEmpty()) {
      return Optional.empty();
    }
    try (ElfFile elf = ElfFile.open(DebugFile.readable(fd.get()))) {
      if (accepted.test(new Candidate(path, fd.get(), elf))) {
        return Optional.of(new DebugFile(path, fd.get()));
      }
    } catch (ElfException e) {
      refuse(path, "no ELF file");
    } catch (RuntimeException | Error e) {
      fd.get().close();
      throw e;
    }
    fd.get().close();
    return Optional.empty();
  }

  private record Candidate(String path, Fd fd, ElfFile elf) {}

  private boolean hasId(Candidate candidate, String id) {
    String found = buildId(candidate.elf());
    if (!found.equals(id)) {
      refuse(candidate.path(), "build id " + (found.isEmpty() ? "missing" : found) + ", not " + id);
    }
    return found.equals(id);
  }

  private boolean belongs(Candidate candidate, String id, DebugLink link) {
    String found = buildId(candidate.elf());
    boolean bothHaveOne = !id.isEmpty() && !found.isEmpty();
    if (bothHaveOne && !found.equals(id)) {
      refuse(candidate.path(), "build id " + found + ", not " + id);
      return false;
    }
    FileIdentity identity = SystemCalls.statx(candidate.fd());
    if (bothHaveOne && identity.size() > MAX_CHECKED) {
      return true;
    }
    checked += Math.min(identity.size(), MAX_CHECKED);
    long crc = checked > MAX_CHECKED_IN_ALL ? -1 : Checksum.of(candidate.fd(), MAX_CHECKED);
    if (crc != Integer.toUnsignedLong(link.crc())) {
      refuse(
          candidate.path(),
          crc < 0
              ? "too large to check"
              : "CRC %08x, not %08x".formatted(crc, Integer.toUnsignedLong(link.crc())));
      return false;
    }
    return true;
  }

  /** Empty also if it is too short to search for, or cannot be read. */
  private static String buildId(ElfFile elf) {
    try {
      return elf.buildId().filter(id -> id.length() > 2).orElse("");
    } catch (ElfException e) {
      return "";
    }
  }

  private void refuse(String path, String why) {
    if (refusals.size() < MAX_REFUSALS) {
      refusals.add(path + ": " + why);
    }
  }

  /** The first hundred files found where the debug file should be that are not it, and why. */
  public List<String> refusals() {
    return List.copyOf(refusals);
  }

  @Override
  public void close() {
    if (owner) {
      root.close();
    }
  }
}
