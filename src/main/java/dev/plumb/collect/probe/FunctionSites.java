package dev.plumb.collect.probe;

import dev.plumb.collect.code.FileOffsets;
import dev.plumb.collect.code.FunctionSymbols;
import dev.plumb.collect.code.Library;
import dev.plumb.collect.code.NamePattern;
import dev.plumb.collect.code.NameSuggestions;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.elf.ElfException;
import dev.plumb.symbols.demangle.Demangler;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Finds functions in a file by name, in its symbol tables and in those of its debug file, and where
 * to put probes on them.
 */
public final class FunctionSites {
  /** More probes at once would slow a program down beyond use. */
  public static final int MOST = 1000;

  /** Several names may stand for one place. */
  private static final int MOST_NAMES = 10 * MOST;

  private record Symbol(long elfAddress, long size, boolean indirect) {
    /** A name that stands for both is that of a function that picks one. */
    Symbol or(Symbol other) {
      return indirect || !other.indirect ? this : other;
    }
  }

  private final Library library;
  private final FunctionSymbols symbols;

  private FunctionSites(Library library, FunctionSymbols symbols) {
    this.library = library;
    this.symbols = symbols;
  }

  /** The names of all functions that a probe can be put on, sorted. */
  public static Collection<String> names(Library library) {
    try (FunctionSymbols symbols = new FunctionSymbols(library)) {
      TreeSet<String> names = new TreeSet<>();
      symbols.forEach(
          (name, elfAddress, size, indirect) -> {
            if (!indirect) {
              names.add(name);
            }
          });
      return names;
    } catch (ElfException e) {
      throw new ProbeException(e.getMessage());
    }
  }

  /** The places of a function, or of all that a pattern matches. */
  public static List<ProbeSite> find(Library library, ProbeSpec.UserFunction wanted) {
    try (FunctionSymbols symbols = new FunctionSymbols(library)) {
      return new FunctionSites(library, symbols).find(wanted);
    } catch (ElfException e) {
      throw new ProbeException(e.getMessage());
    }
  }

  private List<ProbeSite> find(ProbeSpec.UserFunction wanted) {
    if (wanted.timed() && symbols.elf().section(".gopclntab").isPresent()) {
      throw new ProbeException(
          "%s is a Go program, which a probe of a function's return would crash; use uprobe:%s:%s"
              .formatted(library.name(), wanted.library(), wanted.function()));
    }
    String name = wanted.function();
    NamePattern pattern = new NamePattern(name);
    Map<String, Symbol> found = matching(name, name::equals);
    if (found.isEmpty() && pattern.isPattern()) {
      found = matching(name, pattern::matches);
    }
    if (found.isEmpty()) {
      found = matching(name, mangled -> isDemangled(mangled, pattern));
    }
    if (found.isEmpty()) {
      throw new ProbeException(
          "%s has no function '%s'%s; `plumb list probes %s` shows all"
              .formatted(library.name(), name, near(name, true), library.name()));
    }
    return places(found, wanted);
  }

  private Map<String, Symbol> matching(String wanted, Predicate<String> predicate) {
    Map<String, Symbol> found = new TreeMap<>();
    symbols.forEach(
        (name, elfAddress, size, indirect) -> {
          if (found.size() <= MOST_NAMES && predicate.test(name)) {
            found.merge(name, new Symbol(elfAddress, size, indirect), Symbol::or);
          }
        });
    if (found.size() > MOST_NAMES) {
      throw tooMany(wanted, "more than " + MOST_NAMES);
    }
    return found;
  }

  private ProbeException tooMany(String wanted, String how) {
    return new ProbeException(
        "'%s' matches %s functions of %s, and at most %d can be watched; narrow it"
            .formatted(wanted, how, library.name(), MOST));
  }

  private List<ProbeSite> places(Map<String, Symbol> found, ProbeSpec.UserFunction wanted) {
    Map<Long, ProbeSite> places = new TreeMap<>();
    for (Map.Entry<String, Symbol> entry : found.entrySet()) {
      if (!entry.getValue().indirect()) {
        ProbeSite place = place(entry.getKey(), entry.getValue(), wanted.offset());
        places.putIfAbsent(place.fileOffset(), place);
      }
    }
    if (places.isEmpty()) {
      String first = found.keySet().iterator().next();
      throw new ProbeException(
          "%s: '%s' only picks one of several functions for this CPU when the program starts; name that one%s"
              .formatted(library.name(), first, near(first, false)));
    }
    if (places.size() > MOST) {
      throw tooMany(wanted.function(), "" + places.size());
    }
    return List.copyOf(places.values());
  }

  private ProbeSite place(String name, Symbol symbol, long offset) {
    if (offset != 0 && symbol.size() != 0 && Long.compareUnsigned(offset, symbol.size()) >= 0) {
      throw new ProbeException(
          "%s: '%s' has %d bytes; +%d is beyond its end"
              .formatted(library.name(), name, symbol.size(), offset));
    }
    OptionalLong fileOffset = FileOffsets.of(symbols.elf(), symbol.elfAddress() + offset);
    if (fileOffset.isEmpty()) {
      throw new ProbeException(library.name() + ": '" + name + "' is not in the file");
    }
    long cheap = offset == 0 ? FileOffsets.toCheapPlace(symbols.elf(), symbol.elfAddress()) : 0;
    return new ProbeSite(library, name, fileOffset.getAsLong() + cheap, 0, List.of());
  }

  /** {@code ns::f} means all functions of that name; {@code ns::f(int)} one of them. */
  private static boolean isDemangled(String mangled, NamePattern pattern) {
    if (!isMangled(mangled)) {
      return false;
    }
    String name = Demangler.demangle(mangled);
    return is(name, pattern) || is(bare(name), pattern);
  }

  private static boolean is(String name, NamePattern pattern) {
    return name.equals(pattern.text()) || pattern.isPattern() && pattern.matches(name);
  }

  private static boolean isMangled(String name) {
    return name.startsWith("_Z") || name.startsWith("_R");
  }

  private static String bare(String name) {
    int arguments = name.indexOf('(');
    return arguments > 0 ? name.substring(0, arguments) : name;
  }

  private String near(String wanted, boolean indirectToo) {
    NameSuggestions near = new NameSuggestions(wanted);
    symbols.forEach(
        (name, elfAddress, size, indirect) -> {
          if (indirectToo || !indirect) {
            near.offer(name);
          }
          if (isMangled(name)) {
            near.offer(bare(Demangler.demangle(name)));
          }
        });
    return near.hint();
  }
}
