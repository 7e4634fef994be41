package dev.plumb.symbols.go;

import dev.plumb.elf.ElfException;
import java.util.Optional;

/**
 * Go's runtime.moduledata, found by its first word, which points to the table. Words used:
 *
 * <pre>
 *  0 pcHeader   20 minpc   21 maxpc   22 text   38 (1.18, 1.19) or 40 (from 1.20 on) gofunc
 * </pre>
 *
 * @param text the ELF address that entries are relative to
 * @param gofunc what the descriptions of inlined functions are relative to; 0 if not known
 */
record ModuleData(long text, long gofunc) {
  private static final int WORDS = 41;
  private static final int MINPC = 20;
  private static final int MAXPC = 21;
  private static final int TEXT = 22;

  static Optional<ModuleData> find(LoadedImage image, PclnTable table, long tableAddress) {
    for (long candidate : image.find(tableAddress)) {
      try {
        long[] words = image.words(candidate, WORDS);
        long text = table.version().relative() ? words[TEXT] : 0;
        // It must agree with the table about the first function and the last.
        if (words[0] == tableAddress
            && words[MINPC] == text + table.entry(0)
            && words[MAXPC] == text + table.end()) {
          int gofunc = table.version().gofuncWord();
          return Optional.of(new ModuleData(text, gofunc == 0 ? 0 : words[gofunc]));
        }
      } catch (ElfException e) {
        // Something else happens to have this value.
        continue;
      }
    }
    return Optional.empty();
  }
}
