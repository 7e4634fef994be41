package dev.plumb.symbols.go;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.LlvmSymbolizer;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import dev.plumb.testing.OwnTime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damages Go's table in many ways: every question is answered, soon. */
class GoFuzzTest {
  private static final int MUTANTS = 20_000;
  private static final long MOST_NANOS = 2_000_000_000L;
  private static final int CHANGED = 8;
  private static final int HEADER = 72;

  /** Where the header says where the functions are. */
  private static final int FUNCTIONS = 64;

  private int inHeader;

  @Test
  void alwaysAnswers() throws IOException {
    Path source = Fixtures.file("tiny.go");
    Files.writeString(source, "package main\n\nfunc main() { println(len(\"a\")) }\n");
    Path program = Fixtures.file("tiny-go");
    Fixtures.run("go", "build", "-ldflags=-s -w", "-o", program.toString(), source.toString());
    byte[] bytes = Files.readAllBytes(program);
    List<Long> addresses;
    Section table;
    Section module;
    List<Integer> descriptions = new ArrayList<>();
    try (ElfFile elf = ElfFile.open(program)) {
      addresses = LlvmSymbolizer.addresses(elf, 8, 5);
      table = elf.section(".gopclntab").orElseThrow();
      module = elf.section(".go.module").or(() -> elf.section(".noptrdata")).orElseThrow();
      PclnTable parsed = PclnTable.read(elf.bytes(table)).orElseThrow();
      long text = elf.section(".text").orElseThrow().elfAddress();
      for (long address : addresses) {
        descriptions.add((int) parsed.description(parsed.find(address - text)));
      }
    }
    List<List<SourceFrame>> right = ask(bytes, addresses);
    long answers = 0;
    int different = 0;
    long slowest = 0;
    byte[] saved = new byte[CHANGED];
    for (int n = 0; n < MUTANTS; n++) {
      Random random = new Random(n);
      int at = place(table, module, random, bytes, descriptions);
      System.arraycopy(bytes, at, saved, 0, CHANGED);
      damage(bytes, at, random);
      long start = OwnTime.nanos();
      try {
        List<List<SourceFrame>> frames = ask(bytes, addresses);
        answers += frames.stream().filter(f -> !f.isEmpty()).count();
        different += frames.equals(right) ? 0 : 1;
      } catch (Throwable t) {
        throw new AssertionError("mutant " + n, t);
      }
      slowest = Math.max(slowest, OwnTime.nanos() - start);
      System.arraycopy(saved, 0, bytes, at, CHANGED);
    }
    System.out.printf(
        "%d mutants, the slowest %d us: %d answers, %d mutants with others, %d headers%n",
        MUTANTS, slowest / 1000, answers, different, inHeader);
    assertThat(slowest).isLessThan(MOST_NANOS);
    assertThat(answers).isGreaterThan(MUTANTS);
    assertThat(different).isGreaterThan(MUTANTS / 20);
  }

  /** The header, moduledata, or what is read for the addresses that are asked for. */
  private int place(
      Section table, Section module, Random random, byte[] bytes, List<Integer> descriptions) {
    int start = (int) table.fileOffset();
    return switch (random.nextInt(4)) {
      case 0 -> {
        inHeader++;
        yield start + random.nextInt(HEADER);
      }
      case 1 -> (int) module.fileOffset() + random.nextInt(41 * 8);
      case 2 -> start + random.nextInt((int) table.size() - CHANGED);
      default -> {
        // The description of a function that is asked for.
        int functions = start + word(bytes, start + FUNCTIONS);
        yield functions
            + descriptions.get(random.nextInt(descriptions.size()))
            + random.nextInt(80);
      }
    };
  }

  private static int word(byte[] bytes, int at) {
    return bytes[at] & 0xff
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | bytes[at + 3] << 24;
  }

  private static void damage(byte[] bytes, int at, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes[at] = (byte) random.nextInt();
      default -> {
        byte filler = (byte) (random.nextBoolean() ? 0xff : random.nextInt());
        for (int i = 0; i < 1 + random.nextInt(CHANGED); i++) {
          bytes[at + i] = filler;
        }
      }
    }
  }

  private static List<List<SourceFrame>> ask(byte[] bytes, List<Long> elfAddresses) {
    List<List<SourceFrame>> all = new ArrayList<>();
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "mutant")) {
      Optional<GoFunctions> functions = GoFunctions.of(elf);
      for (long elfAddress : elfAddresses) {
        all.add(functions.map(f -> f.frames(elfAddress)).orElse(List.of()));
      }
    }
    return all;
  }
}
