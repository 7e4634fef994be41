package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.demangle.NameStyle;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of procedure linkage tables have the names that objdump gives them. */
class PltNamesTest {
  private static final String SOURCE =
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      int main(int argc, char **argv) {
        void *volatile taken = (void *)free;
        printf("%p %s\\n", taken, strchr(argv[0], '/'));
        free(malloc(argc));
        puts(getenv("HOME"));
        return strlen(argv[0]);
      }
      """;

  private static final Pattern LABEL = Pattern.compile("^([0-9a-f]+) <(.+@plt)>:$");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/bin/bash",
        "/usr/bin/ls",
        "/usr/bin/python3",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"
      })
  void ofSystemPrograms(Path program) throws IOException {
    compare(program.toRealPath(), "objdump", 20);
  }

  @Test
  void ofEveryLayout() throws IOException {
    compare(Fixtures.gcc("plt-lazy", SOURCE, "-Wl,-z,lazy"), "objdump", 6);
    compare(Fixtures.gcc("plt-now", SOURCE, "-Wl,-z,now"), "objdump", 6);
    compare(Fixtures.gcc("plt-no-pie", SOURCE, "-no-pie"), "objdump", 6);
    compare(Fixtures.gcc("plt-sec", SOURCE, "-Wl,-z,ibtplt", "-Wl,-z,lazy"), "objdump", 6);
    compare(Fixtures.clang("plt-lld", SOURCE, "-fuse-ld=lld-19"), "objdump", 6);
    compare(Fixtures.gcc("plt-32", SOURCE, "-m32", "-no-pie"), "objdump", 6);
    compare(Fixtures.gcc("plt-32-pie", SOURCE, "-m32", "-pie", "-fPIC"), "objdump", 6);
  }

  @Test
  void ofArm() throws IOException {
    String source = "int a(int); int b(int); int main_(int x) { return a(x) + b(x); }";
    for (String protection : new String[] {"none", "bti"}) {
      Path library =
          Fixtures.clang(
              "plt-arm-" + protection,
              source,
              "--target=aarch64-linux-gnu",
              "-mbranch-protection=" + protection,
              "-fuse-ld=lld-19",
              "-nostdlib",
              "-fPIC",
              "-shared");
      compare(library, "llvm-objdump-19", 2);
    }
  }

  /** The first half of a table in two parts, which the dynamic linker returns through. */
  @Test
  void lazyHalvesHaveTheNamesOfTheirOtherHalves() throws IOException {
    Path program = Fixtures.gcc("plt-sec2", SOURCE, "-Wl,-z,ibtplt", "-Wl,-z,lazy");
    try (Names names = new Names(program)) {
      Section lazy = names.section(".plt");
      Section other = names.section(".plt.sec");
      assertThat(names.at(lazy.elfAddress()).named()).as("what all of them jump to").isFalse();
      for (long i = 0; i < other.size() / 16; i++) {
        assertThat(names.at(lazy.elfAddress() + 16 * (i + 1)).name())
            .endsWith("@plt")
            .isEqualTo(names.at(other.elfAddress() + 16 * i).name());
      }
    }
  }

  /**
   * Functions that the program chooses for itself when it starts; objdump shows no name, so the
   * names are those that its libc is known to choose among.
   */
  @Test
  void ofStaticPrograms() throws IOException {
    for (String how : new String[] {"-static", "-static-pie"}) {
      Path program = Fixtures.gcc("plt" + how, SOURCE, how);
      try (Names names = new Names(program)) {
        List<String> found = new ArrayList<>();
        Section plt = names.section(".plt");
        for (long at = 0; at < plt.size(); at += 8) {
          found.add(names.at(plt.elfAddress() + at).name());
        }
        assertThat(found).contains("memcpy@plt", "stpcpy@plt");
      }
    }
  }

  @Test
  void otherMachinesHaveNone() throws IOException {
    Path library =
        Fixtures.clang(
            "plt-riscv",
            "int a(int); int main_(int x) { return a(x); }",
            "--target=riscv64-linux-gnu",
            "-fuse-ld=lld-19",
            "-nostdlib",
            "-fPIC",
            "-shared");
    try (Names names = new Names(library)) {
      Section plt = names.section(".plt");
      for (long at = 0; at < plt.size(); at += 4) {
        assertThat(names.at(plt.elfAddress() + at).named()).isFalse();
      }
    }
  }

  /** Any answer will do, but one has to come. */
  @Test
  void brokenFilesAreAnswered() throws IOException {
    byte[] good = Files.readAllBytes(Fixtures.gcc("plt-mutated", SOURCE, "-s"));
    Random random = new Random(7);
    int named = 0;
    for (int i = 0; i < 400; i++) {
      byte[] bad = good.clone();
      for (int n = random.nextInt(40); n >= 0; n--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      Path file = folder.resolve("bad" + i);
      Files.write(file, bad);
      try (Names names = new Names(file)) {
        Section plt = names.section(".plt");
        for (long at = 0; at < Math.min(256, plt.size()); at += 16) {
          named += names.at(plt.elfAddress() + at).named() ? 1 : 0;
        }
      } catch (ElfException | AssertionError e) {
        continue; // damaged where the test itself looks
      }
      Files.delete(file);
    }
    assertThat(named).isGreaterThan(400);
  }

  private static void compare(Path program, String objdump, int least) throws IOException {
    Map<Long, String> theirs = labels(program, objdump);
    assertThat(theirs).as(program.toString()).hasSizeGreaterThanOrEqualTo(least);
    Map<Long, List<String>> symbols = symbols(program);
    try (Names names = new Names(program)) {
      theirs.forEach(
          (address, label) -> {
            for (long inside : new long[] {0, 5}) {
              Frame frame = names.at(address + inside);
              String ours = frame.name().replaceAll("@plt$", "");
              String expected = label.replaceAll("@plt$", "").replaceAll("@@?[A-Z].*$", "");
              if (expected.startsWith("*ABS*+") && !ours.startsWith("*ABS*")) {
                long resolver = Long.parseLong(expected.substring(8), 16);
                assertThat(symbols.getOrDefault(resolver, List.of())).contains(ours);
              } else {
                assertThat(ours).as("%s %x", program, address).isEqualTo(expected);
              }
              assertThat(frame.name()).endsWith("@plt");
              assertThat(frame.offset()).isEqualTo(inside);
            }
          });
    }
  }

  private static Map<Long, String> labels(Path program, String objdump) {
    Map<Long, String> labels = new TreeMap<>();
    for (String section : new String[] {".plt", ".plt.sec", ".plt.got"}) {
      if (Fixtures.run("readelf", "-SW", program.toString()).contains(" " + section + " ")) {
        String text = Fixtures.run(objdump, "-d", "-j", section, program.toString());
        for (String line : text.split("\n")) {
          Matcher label = LABEL.matcher(line);
          if (label.matches()) {
            labels.put(Long.parseLong(label.group(1), 16), label.group(2));
          }
        }
      }
    }
    return labels;
  }

  private static Map<Long, List<String>> symbols(Path program) {
    Map<Long, List<String>> symbols = new HashMap<>();
    for (String line : Fixtures.run("nm", "-D", program.toString()).split("\n")) {
      String[] parts = line.split(" ");
      if (parts.length == 3 && parts[0].length() == 16) {
        String name = parts[2].replaceAll("@.*", "");
        symbols.computeIfAbsent(Long.parseLong(parts[0], 16), a -> new ArrayList<>()).add(name);
      }
    }
    return symbols;
  }

  /** A file and its names, by ELF address. */
  private static final class Names implements AutoCloseable {
    private final ElfFile elf;
    private final Symbolizer symbolizer = new Symbolizer(1 << 24, NameStyle.RAW);
    private final Mappings mappings;

    Names(Path program) throws IOException {
      elf = ElfFile.open(program);
      mappings = Mappings.ofFile(program, Files.size(program));
    }

    Section section(String name) {
      return elf.section(name).orElseThrow(AssertionError::new);
    }

    Frame at(long elfAddress) {
      Mapping mapping = mappings.only();
      for (var load : elf.segments()) {
        long into = elfAddress - load.elfAddress();
        if (load.type() == 1 && load.executable() && into >= 0 && into < load.fileSize()) {
          long address = mapping.start() + load.fileOffset() + into;
          return symbolizer.user(mapping, address, false).getFirst();
        }
      }
      throw new AssertionError("not loaded: " + Long.toHexString(elfAddress));
    }

    @Override
    public void close() {
      symbolizer.close();
      mappings.close();
      elf.close();
    }
  }
}
