package dev.plumb.collect.probe;

import dev.plumb.collect.code.FileOffsets;
import dev.plumb.collect.code.Library;
import dev.plumb.collect.code.NamePattern;
import dev.plumb.collect.code.NameSuggestions;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import dev.plumb.elf.UsdtNote;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Finds the USDT probes in a file. */
public final class UsdtSites {
  private UsdtSites() {}

  /** All places of the probes that are meant. */
  public static List<ProbeSite> find(Library library, ProbeSpec.Usdt wanted) {
    try (ElfFile elf = ElfFile.open(library.path())) {
      return find(library, elf, wanted);
    } catch (ElfException e) {
      throw new ProbeException(e.getMessage());
    }
  }

  private static List<ProbeSite> find(Library library, ElfFile elf, ProbeSpec.Usdt wanted) {
    NamePattern provider = new NamePattern(wanted.provider());
    NamePattern name = new NamePattern(wanted.name());
    List<UsdtNote> notes = elf.usdtNotes();
    // One place may be noted twice, by inlining into one instruction; the first one's arguments
    // hold.
    Map<Long, ProbeSite> places = new TreeMap<>();
    for (UsdtNote note : notes) {
      if (provider.matches(note.provider()) && name.matches(note.name())) {
        OptionalLong fileOffset = FileOffsets.of(elf, note.elfAddress());
        if (fileOffset.isPresent()) {
          places.putIfAbsent(
              fileOffset.getAsLong(),
              new ProbeSite(
                  library,
                  note.provider() + ":" + note.name(),
                  fileOffset.getAsLong(),
                  semaphore(elf, note),
                  arguments(elf, note)));
        }
      }
    }
    if (places.isEmpty()) {
      throw new ProbeException(none(library, wanted, notes));
    }
    if (places.size() > FunctionSites.MOST) {
      throw new ProbeException(
          "'%s' has %d places in %s, and at most %d can be watched; narrow it"
              .formatted(wanted.text(), places.size(), library.name(), FunctionSites.MOST));
    }
    return List.copyOf(places.values());
  }

  private static long semaphore(ElfFile elf, UsdtNote note) {
    return note.semaphore() == 0 ? 0 : FileOffsets.of(elf, note.semaphore()).orElse(0);
  }

  private static List<Argument> arguments(ElfFile elf, UsdtNote note) {
    boolean arm = elf.machine() == ElfFile.EM_AARCH64;
    return new UsdtArguments(
            arm, symbol -> address(elf, symbol).map(address -> address - note.elfAddress()))
        .parse(note.arguments());
  }

  private static Optional<Long> address(ElfFile elf, String name) {
    for (Section section : elf.sections()) {
      if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
        SymbolTable table = elf.symbols(section);
        for (int i = 0; i < table.size(); i++) {
          if (table.section(i) != SymbolTable.SHN_UNDEF && table.name(i).equals(name)) {
            return Optional.of(table.value(i));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static String none(Library library, ProbeSpec.Usdt wanted, List<UsdtNote> notes) {
    if (notes.isEmpty()) {
      return library.name()
          + " has no USDT probes; a function can be watched by uprobe:LIB:FUNCTION";
    }
    List<String> names = new ArrayList<>();
    for (UsdtNote note : notes) {
      names.add(note.name());
      names.add(note.provider() + ":" + note.name());
    }
    return "%s has no USDT probe '%s'%s; `plumb list probes %s` shows all"
        .formatted(
            library.name(),
            (wanted.provider().equals("*") ? "" : wanted.provider() + ":") + wanted.name(),
            NameSuggestions.hint(wanted.name(), names),
            library.name());
  }
}
