package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code whose symbols are not of type FUNC has names, too; perf is the judge. */
class SymbolTypesTest {
  /** Each runs a while; a table within a function and a label within one are not its name. */
  private static final String SOURCE =
      """
      .macro spin
        mov $30000000, %rcx
      1: dec %rcx
        jnz 1b
        ret
      .endm
      .text
      .globl _start
      .type _start, @function
      _start:
        call typed
        call sized_object
        call bare_object
        call label
        mov $60, %eax
        xor %edi, %edi
        syscall
      .size _start, .-_start
      .type typed, @function
      typed:
        mov $30000000, %rcx
        jmp 2f
      .type table, @object
      table: .quad 1, 2, 3
      .size table, .-table
      2:
      inner_label: dec %rcx
        jnz 2b
        ret
      .size typed, .-typed
      .globl sized_object
      .type sized_object, @object
      sized_object: spin
      .size sized_object, .-sized_object
      .type bare_object, @object
      bare_object: spin
      label: spin
      .data
      .type data_object, @object
      data_object: .quad 1
      .size data_object, 8
      """;

  @Test
  void perfAgrees(@TempDir Path folder) throws Exception {
    Path perf = ExternalTools.need("perf");
    Path program = Fixtures.assemble("symbol-types", SOURCE, "-nostdlib", "-static", "-no-pie");
    Path data = folder.resolve("perf.data");
    ExternalTools.run(
        perf, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", data, "--", program);
    Set<String> names = new TreeSet<>();
    for (String line :
        ExternalTools.run(perf, "script", "-i", data, "-F", "ip,sym").lines().toList()) {
      String[] words = line.strip().split(" ", 2);
      String ours = name(program, Long.parseUnsignedLong(words[0], 16));
      // perf cuts a function at its labels; addr2line and llvm-symbolizer do not.
      assertThat(ours).as(line).isEqualTo(words[1].equals("inner_label") ? "typed" : words[1]);
      names.add(ours);
    }
    assertThat(names).contains("typed", "sized_object", "bare_object", "label");
  }

  private static String name(Path program, long elfAddress) throws IOException {
    try (ElfFile elf = ElfFile.open(program);
        Mappings mappings = Mappings.ofFile(program, Files.size(program));
        Symbolizer symbolizer = new Symbolizer()) {
      Segment code =
          elf.segments().stream()
              .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
              .findFirst()
              .orElseThrow();
      Mapping mapping = mappings.only();
      long fileOffset = elfAddress - code.elfAddress() + code.fileOffset();
      Frame frame = symbolizer.user(mapping, mapping.start() + fileOffset, false).getLast();
      return frame.name();
    }
  }
}
