package dev.plumb.collect.probe;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import dev.plumb.symbols.debugfile.MiniDebugInfo;
import dev.plumb.symbols.demangle.Demangler;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The functions of a file by name: of its symbol tables, and of those of its debug file. */
public final class Functions {
  /** More probes at once than that slow a program down beyond use. */
  public static final int MOST = 1000;

  private record Symbol(long elfAddress, long size, boolean indirect) {}

  private final Library library;
  private final ElfFile elf;
  private final Map<String, Symbol> symbols = new TreeMap<>();

  private Functions(Library library, ElfFile elf) {
    this.library = library;
    this.elf = elf;
  }

  /** The names of all functions that a probe can be put on, sorted. */
  public static Collection<String> names(Library library) {
    try (ElfFile elf = ElfFile.open(library.path())) {
      Functions functions = read(library, elf);
      functions.symbols.values().removeIf(Symbol::indirect);
      return List.copyOf(functions.symbols.keySet());
    } catch (ElfException e) {
      throw new ProbeException(e.getMessage());
    }
  }

  /** The places of a function, or of all that a pattern matches. */
  public static List<Place> find(Library library, ProbeSpec.UserFunction wanted) {
    try (ElfFile elf = ElfFile.open(library.path())) {
      return read(library, elf).find(wanted);
    } catch (ElfException e) {
      throw new ProbeException(e.getMessage());
    }
  }

  private static Functions read(Library library, ElfFile elf) {
    Functions functions = new Functions(library, elf);
    functions.add(elf);
    functions.addDebugFile();
    functions.markIndirect();
    return functions;
  }

  private void add(ElfFile from) {
    try {
      for (Section section : from.sections()) {
        if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
          add(from.symbols(section));
        }
      }
    } catch (ElfException e) {
      // What was read so far is what there is.
    }
  }

  private void add(SymbolTable table) {
    table.forEachDefined(
        (symbol, nameOffset, value, size, type, binding, section) -> {
          boolean indirect = type == SymbolTable.STT_GNU_IFUNC;
          if (value != 0 && (type == SymbolTable.STT_FUNC || indirect)) {
            String name = table.name(symbol);
            if (!name.isEmpty()) {
              symbols.merge(
                  unversioned(name),
                  new Symbol(value, size, indirect),
                  (known, other) -> known.indirect() ? known : other.indirect() ? other : known);
            }
          }
        });
  }

  /** The function that picks one has a name of its own too, in .symtab. */
  private void markIndirect() {
    Set<Long> picking = new HashSet<>();
    symbols.values().stream().filter(Symbol::indirect).forEach(s -> picking.add(s.elfAddress()));
    symbols.replaceAll(
        (name, s) ->
            picking.contains(s.elfAddress()) ? new Symbol(s.elfAddress(), s.size(), true) : s);
  }

  /** In .symtab, {@code memcpy@@GLIBC_2.14} is the default version. */
  private static String unversioned(String name) {
    int at = name.indexOf('@');
    return at > 0 ? name.substring(0, at) : name;
  }

  private void addDebugFile() {
    boolean whole =
        elf.sections().stream().anyMatch(section -> section.type() == Section.SHT_SYMTAB);
    if (whole) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MiniDebugInfo.read(elf, arena)
          .ifPresent(
              image -> {
                try (ElfFile packed = ElfFile.of(image, library.name())) {
                  add(packed);
                }
              });
    } catch (ElfException e) {
      // damaged; then there are only the exported functions
    }
    Optional<DebugFiles> debugFiles = DebugFiles.ofHost();
    try {
      Optional<DebugFile> debug = debugFiles.flatMap(d -> d.find(elf, library.name()));
      if (debug.isPresent()) {
        try (DebugFile file = debug.get();
            ElfFile debugElf = file.open()) {
          add(debugElf);
        }
      }
    } catch (ElfException e) {
      // as above
    } finally {
      debugFiles.ifPresent(DebugFiles::close);
    }
  }

  private List<Place> find(ProbeSpec.UserFunction wanted) {
    if (wanted.timed() && elf.section(".gopclntab").isPresent()) {
      throw new ProbeException(
          "%s is a Go program, which a probe of a function's return would crash; use uprobe:%s:%s"
              .formatted(library.name(), wanted.library(), wanted.function()));
    }
    String name = wanted.function();
    Symbol symbol = symbols.get(name);
    if (symbol != null) {
      return List.of(place(name, symbol, wanted.offset()));
    }
    NamePattern pattern = new NamePattern(name);
    Map<String, Symbol> found = pattern.isPattern() ? matching(pattern::matches) : Map.of();
    if (found.isEmpty()) {
      found = matching(mangled -> isDemangled(mangled, pattern));
    }
    if (found.isEmpty()) {
      throw new ProbeException(
          "%s has no function '%s'%s; `plumb list probes %s` shows all"
              .formatted(library.name(), name, NearNames.hint(name, allNames()), library.name()));
    }
    return places(found, wanted);
  }

  private List<Place> places(Map<String, Symbol> found, ProbeSpec.UserFunction wanted) {
    // Several names may stand for one place.
    Map<Long, Place> places = new TreeMap<>();
    for (Map.Entry<String, Symbol> entry : found.entrySet()) {
      if (!entry.getValue().indirect()) {
        Place place = place(entry.getKey(), entry.getValue(), wanted.offset());
        places.putIfAbsent(place.fileOffset(), place);
      }
    }
    if (places.isEmpty()) {
      Map.Entry<String, Symbol> first = found.entrySet().iterator().next();
      return List.of(place(first.getKey(), first.getValue(), 0));
    }
    if (places.size() > MOST) {
      throw new ProbeException(
          "'%s' matches %d functions of %s, and at most %d can be watched; narrow it"
              .formatted(wanted.function(), places.size(), library.name(), MOST));
    }
    return List.copyOf(places.values());
  }

  private Map<String, Symbol> matching(Predicate<String> wanted) {
    Map<String, Symbol> found = new TreeMap<>();
    for (Map.Entry<String, Symbol> entry : symbols.entrySet()) {
      if (wanted.test(entry.getKey())) {
        found.put(entry.getKey(), entry.getValue());
      }
    }
    return found;
  }

  /** {@code ns::f} means all functions of that name; {@code ns::f(int)} one of them. */
  private static boolean isDemangled(String mangled, NamePattern pattern) {
    if (!mangled.startsWith("_Z") && !mangled.startsWith("_R")) {
      return false;
    }
    String name = Demangler.demangle(mangled);
    if (name.equals(pattern.text()) || pattern.isPattern() && pattern.matches(name)) {
      return true;
    }
    int arguments = name.indexOf('(');
    String bare = arguments > 0 ? name.substring(0, arguments) : name;
    return bare.equals(pattern.text()) || pattern.isPattern() && pattern.matches(bare);
  }

  private List<String> allNames() {
    List<String> names = new ArrayList<>(symbols.keySet());
    for (String name : symbols.keySet()) {
      if (name.startsWith("_Z") || name.startsWith("_R")) {
        String demangled = Demangler.demangle(name);
        int arguments = demangled.indexOf('(');
        names.add(arguments > 0 ? demangled.substring(0, arguments) : demangled);
      }
    }
    return names;
  }

  private Place place(String name, Symbol symbol, long offset) {
    if (symbol.indirect()) {
      throw new ProbeException(
          "%s: '%s' only picks one of several functions for this CPU when the program starts; name that one%s"
              .formatted(library.name(), name, NearNames.hint(name, direct())));
    }
    if (offset != 0 && symbol.size() != 0 && Long.compareUnsigned(offset, symbol.size()) >= 0) {
      throw new ProbeException(
          "%s: '%s' has %d bytes; +%d is behind it"
              .formatted(library.name(), name, symbol.size(), offset));
    }
    OptionalLong fileOffset = FileOffsets.of(elf, symbol.elfAddress() + offset);
    if (fileOffset.isEmpty()) {
      throw new ProbeException(library.name() + ": '" + name + "' is not in the file");
    }
    return new Place(library, name, fileOffset.getAsLong(), 0, List.of());
  }

  private List<String> direct() {
    return symbols.entrySet().stream()
        .filter(entry -> !entry.getValue().indirect())
        .map(Map.Entry::getKey)
        .toList();
  }
}
