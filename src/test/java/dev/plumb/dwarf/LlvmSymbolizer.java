package dev.plumb.dwarf;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What llvm-symbolizer knows of addresses: a line {@code name path:line} a frame. */
public final class LlvmSymbolizer {
  public static final String NOTHING = "?? ??:0";

  private LlvmSymbolizer() {}

  /** Of debug information alone: it prefers the symbol table's name for the outermost function. */
  public static List<List<String>> answers(Path file, List<Long> elfAddresses) throws IOException {
    Path bare = Fixtures.file(file.getFileName() + ".bare");
    Fixtures.run("llvm-objcopy-19", "--remove-section=.symtab", file.toString(), bare.toString());
    return answersWithSymbols(bare, elfAddresses);
  }

  public static List<List<String>> answersWithSymbols(Path file, List<Long> elfAddresses)
      throws IOException {
    Path input = Fixtures.file(file.getFileName() + ".addresses");
    Files.write(input, elfAddresses.stream().map(a -> "0x" + Long.toHexString(a)).toList());
    String output =
        Fixtures.run(
            "sh",
            "-c",
            "llvm-symbolizer-19 --inlines --functions=linkage --no-demangle --obj="
                + file
                + " < "
                + input);
    List<List<String>> all = new ArrayList<>();
    for (String block : output.strip().split("\n\n")) {
      String[] lines = block.split("\n");
      List<String> frames = new ArrayList<>();
      for (int i = 0; i + 1 < lines.length; i += 2) {
        frames.add(lines[i] + " " + lines[i + 1].replaceAll(":[0-9?]+$", ""));
      }
      all.add(frames);
    }
    return all;
  }

  /** Our answer, written in the same way. */
  public static List<String> text(List<SourceFrame> frames) {
    List<String> lines = new ArrayList<>();
    for (SourceFrame f : frames) {
      String file = f.file().isEmpty() ? "??" : f.file();
      lines.add((f.bestName().isEmpty() ? "??" : f.bestName()) + " " + file + ":" + f.line());
    }
    return lines.isEmpty() ? List.of(NOTHING) : lines;
  }

  /** Random addresses of code. */
  public static List<Long> addresses(ElfFile elf, int count, long seed) {
    Random random = new Random(seed);
    Section text = elf.section(".text").orElseThrow();
    List<Long> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(text.elfAddress() + random.nextLong(text.size()));
    }
    return addresses;
  }
}
