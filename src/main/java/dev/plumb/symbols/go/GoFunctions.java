package dev.plumb.symbols.go;

import dev.plumb.dwarf.SourceFrame;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Address → functions and lines of a Go program, from Go 1.16 on; inlined functions from 1.18 on.
 * It keeps only where the table is. It never fails: broken parts are missing. For one thread at a
 * time; the file must stay open.
 */
public final class GoFunctions {
  private static final int INLINED_INDEX = 2;
  private static final int INLINED_TREE = 3;

  /** More functions inlined into each other than any compiler makes. */
  private static final int MAX_INLINED = 256;

  private final String fileName;
  private final LoadedImage image;
  private final PclnTable table;
  private final ModuleData module;

  private GoFunctions(String fileName, LoadedImage image, PclnTable table, ModuleData module) {
    this.fileName = fileName;
    this.image = image;
    this.table = table;
    this.module = module;
  }

  /** Empty if it is not a Go program, or its table is not found. */
  public static Optional<GoFunctions> of(ElfFile elf) {
    try {
      return LostPages.guard(elf.name(), () -> find(elf));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private static Optional<GoFunctions> find(ElfFile elf) {
    Optional<Long> address = tableAddress(elf);
    if (address.isEmpty()) {
      return Optional.empty();
    }
    LoadedImage image = new LoadedImage(elf);
    Optional<PclnTable> table = PclnTable.read(image.from(address.get()));
    return table.map(
        t -> {
          ModuleData module =
              ModuleData.find(image, t, address.get())
                  .orElseGet(() -> new ModuleData(textStart(elf, t), 0));
          return new GoFunctions(elf.name(), image, t, module);
        });
  }

  /** Finds it by section name; else searches, because linkers may put it into another section. */
  private static Optional<Long> tableAddress(ElfFile elf) {
    boolean go = false;
    boolean sections = false;
    try {
      for (String name : List.of(".gopclntab", ".data.rel.ro.gopclntab")) {
        Optional<Section> section = elf.section(name);
        if (section.isPresent()) {
          return section.map(Section::elfAddress);
        }
      }
      sections = !elf.sections().isEmpty();
      go = elf.section(".go.buildinfo").isPresent() || elf.goBuildId().isPresent();
    } catch (ElfException e) {
      // As if there were no sections.
      sections = false;
    }
    // Other programs need not be searched.
    return go || !sections ? new LoadedImage(elf).findTable() : Optional.empty();
  }

  /** Used if moduledata is not found: what the header says, else the start of the code. */
  private static long textStart(ElfFile elf, PclnTable table) {
    if (!table.version().relative() || table.textStart() != 0) {
      return table.textStart();
    }
    return elf.section(".text").map(Section::elfAddress).orElse(0L);
  }

  /**
   * The functions at an address, the innermost first: those inlined there, then the function
   * itself. A name is as Go prints it ({@code main.pick[...]}); the linkage name has the type
   * arguments, if there are any. Empty if nothing is known.
   */
  public List<SourceFrame> frames(long elfAddress) {
    try {
      return LostPages.guard(fileName, () -> framesAt(elfAddress - module.text()));
    } catch (ElfException e) {
      return List.of();
    }
  }

  private List<SourceFrame> framesAt(long place) {
    table.startLookup();
    long function = table.find(place);
    if (function < 0) {
      return List.of();
    }
    long description = table.description(function);
    if (table.line(description, place) == 0) {
      // After the function's last instruction.
      return List.of();
    }
    long tree = tree(description);
    List<SourceFrame> frames = new ArrayList<>(2);
    long at = place;
    int inlined = tree == 0 ? -1 : table.data(description, INLINED_INDEX, at);
    while (inlined >= 0 && frames.size() < MAX_INLINED) {
      PclnVersion version = table.version();
      ElfBytes call =
          image.at(tree + (long) inlined * version.inlinedSize(), version.inlinedSize());
      String name = table.name(call.u32(version.inlinedName()));
      frames.add(frame(name, description, at, true));
      at = table.entryOf(description) + call.i32(version.inlinedName() + 4L);
      inlined = table.data(description, INLINED_INDEX, at);
    }
    frames.add(frame(table.functionName(description), description, at, false));
    return Collections.unmodifiableList(frames);
  }

  /** The address of the tree of calls inlined into a function, or 0. */
  private long tree(long description) {
    if (module.gofunc() == 0) {
      return 0;
    }
    long offset = table.functionData(description, INLINED_TREE);
    return offset < 0 ? 0 : module.gofunc() + offset;
  }

  private SourceFrame frame(String name, long description, long place, boolean inlined) {
    String printed = withoutTypeArguments(name);
    return new SourceFrame(
        printed,
        printed.equals(name) ? "" : name,
        table.file(description, place),
        table.line(description, place),
        inlined);
  }

  private static String withoutTypeArguments(String name) {
    int open = name.indexOf('[');
    int close = name.lastIndexOf(']');
    return open < 0 || close <= open
        ? name
        : name.substring(0, open) + "[...]" + name.substring(close + 1);
  }
}
