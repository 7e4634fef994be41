package dev.plumb.collect.code;

import dev.plumb.elf.DynamicEntry;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files that a command maps when it starts, found before it does: its program, the dynamic
 * linker, the libraries that it is linked with, and those that the environment puts before them;
 * and a Java launcher's virtual machine, which it loads at once.
 */
public final class CommandFiles {
  private static final int MOST_FILES = 256;
  private static final int MOST_INTERPRETERS = 4;
  private static final int MOST_OF_FIRST_LINE = 256;

  private static final String JAVA_LAUNCHER = "libjli.so";
  private static final List<String> VIRTUAL_MACHINE =
      List.of("server/libjvm.so", "libjava.so", "libjimage.so", "libzip.so");

  private final Map<String, String> environment;
  private final Set<Path> found = new LinkedHashSet<>();
  private final List<Path> unread = new ArrayList<>();

  private CommandFiles(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * The files there are; those that cannot be found are left out, as the command will say it
   * better.
   *
   * @param environment that the command will have
   */
  public static List<Path> of(List<String> command, Map<String, String> environment) {
    if (name(command.getFirst()).equals("env")) {
      return ofEnv(command, environment);
    }
    CommandFiles files = new CommandFiles(environment);
    files.program(command.getFirst()).ifPresent(program -> files.add(program, 0));
    preloaded(environment)
        .forEach(library -> files.library(library, List.of()).ifPresent(files::add));
    while (!files.unread.isEmpty()) {
      files.read(files.unread.removeLast());
    }
    return List.copyOf(files.found);
  }

  /** The libraries that are put before all others. */
  static List<String> preloaded(Map<String, String> environment) {
    return List.of(environment.getOrDefault("LD_PRELOAD", "").split("[ :]+"));
  }

  /** {@code env NAME=VALUE… COMMAND}: the usual way to preload an allocator for one program. */
  private static List<Path> ofEnv(List<String> command, Map<String, String> environment) {
    Map<String, String> changed = new HashMap<>(environment);
    int word = 1;
    while (word < command.size()
        && (command.get(word).startsWith("-") || command.get(word).indexOf('=') > 0)) {
      String[] assignment = command.get(word).split("=", 2);
      if (assignment.length == 2) {
        changed.put(assignment[0], assignment[1]);
      }
      word++;
    }
    return word < command.size() ? of(command.subList(word, command.size()), changed) : List.of();
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** A script is run by the program that its first line names. */
  private void add(Path program, int interpreters) {
    add(program);
    try (InputStream in = Files.newInputStream(program)) {
      String start = new String(in.readNBytes(MOST_OF_FIRST_LINE), StandardCharsets.ISO_8859_1);
      if (!start.startsWith("#!") || interpreters == MOST_INTERPRETERS) {
        return;
      }
      String[] words = start.substring(2).lines().findFirst().orElse("").strip().split("[ \t]+");
      program(words[0]).ifPresent(p -> add(p, interpreters + 1));
      if (name(words[0]).equals("env") && words.length > 1) {
        program(words[words.length - 1]).ifPresent(p -> add(p, interpreters + 1));
      }
    } catch (IOException e) {
      // it will not run either
    }
  }

  private void add(Path file) {
    if (found.size() < MOST_FILES && found.add(file)) {
      unread.add(file);
    }
  }

  private Optional<Path> program(String name) {
    if (name.indexOf('/') >= 0) {
      return file(name);
    }
    return name.isEmpty()
        ? Optional.empty()
        : inFolders(environment.getOrDefault("PATH", "/bin:/usr/bin"), name);
  }

  private Optional<Path> library(String name, List<String> ownFolders) {
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      return file(name);
    }
    for (String folders : ownFolders) {
      Optional<Path> own = inFolders(folders, name);
      if (own.isPresent()) {
        return own;
      }
    }
    return inFolders(environment.getOrDefault("LD_LIBRARY_PATH", ""), name)
        .or(() -> Libraries.inUsualFolders(name).flatMap(path -> file(path.toString())));
  }

  private static Optional<Path> inFolders(String folders, String name) {
    for (String folder : folders.split(":")) {
      Optional<Path> file = file((folder.isEmpty() ? "." : folder) + "/" + name);
      if (file.isPresent()) {
        return file;
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> file(String name) {
    try {
      Path path = Path.of(name);
      return Files.isRegularFile(path) ? Optional.of(path.toRealPath()) : Optional.empty();
    } catch (IOException | InvalidPathException e) {
      return Optional.empty();
    }
  }

  private void read(Path path) {
    try (ElfFile elf = ElfFile.open(path)) {
      LostPages.guard(
          path.toString(),
          () -> {
            addLinked(path, elf);
            return path;
          });
    } catch (ElfException e) {
      // a script
    }
  }

  private void addLinked(Path path, ElfFile elf) {
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_INTERP) {
        file(elf.bytes(segment).string(0)).ifPresent(this::add);
      }
    }
    Optional<ElfBytes> strings = elf.section(".dynstr").map(elf::bytes);
    if (strings.isEmpty() || elf.section(".dynamic").map(Section::size).orElse(0L) == 0) {
      return;
    }
    List<String> folders = new ArrayList<>();
    for (DynamicEntry entry : elf.dynamic()) {
      if (entry.tag() == DynamicEntry.DT_RUNPATH || entry.tag() == DynamicEntry.DT_RPATH) {
        String own = path.getParent().toString();
        folders.add(
            strings.get().string(entry.value()).replace("${ORIGIN}", own).replace("$ORIGIN", own));
      }
    }
    for (DynamicEntry entry : elf.dynamic()) {
      if (entry.tag() == DynamicEntry.DT_NEEDED) {
        library(strings.get().string(entry.value()), folders).ifPresent(this::addLibrary);
      }
    }
  }

  private void addLibrary(Path library) {
    add(library);
    if (library.endsWith(JAVA_LAUNCHER)) {
      for (String name : VIRTUAL_MACHINE) {
        file(library.resolveSibling(name).toString()).ifPresent(this::add);
      }
    }
  }
}
