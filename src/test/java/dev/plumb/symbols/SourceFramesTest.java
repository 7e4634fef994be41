package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.demangle.NameStyle;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inlined functions and lines as Symbolizer gives them, held against llvm-symbolizer. */
class SourceFramesTest {
  private static final String SOURCE =
      """
      #include <algorithm>
      #include <cstdio>
      #include <map>
      #include <string>
      #include <vector>
      struct Shop {
        std::map<std::string, int> goods;
        int sell(const std::string &name) {
          auto found = goods.find(name);
          return found == goods.end() ? 0 : found->second--;
        }
      };
      static inline int twice(int x) { return x * 2; }
      int main(int argc, char **argv) {
        Shop shop;
        std::vector<int> sold;
        for (int i = 0; i < argc * 1000; i++) {
          shop.goods[std::to_string(i % 7)] += twice(i);
          sold.push_back(shop.sell(argv[0]));
        }
        std::sort(sold.begin(), sold.end(), [](int a, int b) { return a > b; });
        printf("%d\\n", sold.front());
      }
      """;

  @TempDir Path folder;

  @Test
  void equalsLlvmSymbolizer() throws IOException {
    Path source = folder.resolve("shop.cpp");
    Files.writeString(source, SOURCE);
    Path program = folder.resolve("shop");
    Fixtures.run("g++", "-O2", "-g", source.toString(), "-o", program.toString());
    compare(program, program);
  }

  @Test
  void inASeparateFileToo() throws IOException {
    Path source = folder.resolve("shop.cpp");
    Files.writeString(source, SOURCE);
    Path program = folder.resolve("shop");
    Path whole = folder.resolve("whole");
    Path debug = folder.resolve("shop.debug");
    Fixtures.run("g++", "-O2", "-g", source.toString(), "-o", whole.toString());
    Fixtures.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
    String link = "--add-gnu-debuglink=" + debug;
    Fixtures.run("objcopy", "--strip-all", link, whole.toString(), program.toString());
    compare(program, whole);
  }

  /**
   * Split units by the paths that the compiler wrote, then beside the program, then in one file.
   */
  @Test
  void inSplitUnitsToo() throws IOException {
    Path program = split("");
    compare(program, program);
    Path moved = Files.createDirectory(folder.resolve("moved"));
    Path copy = Files.copy(program, moved.resolve("shop"));
    Files.copy(folder.resolve("shop.dwo"), moved.resolve("shop.dwo"));
    Path hidden = Files.createDirectory(folder.resolve("hidden"));
    Path away = Files.move(folder.resolve("shop.dwo"), hidden.resolve("shop.dwo"));
    assertThat(functions(program)).as("its unit is gone").isEmpty();
    assertThat(functions(copy)).isNotEmpty();
    Files.delete(moved.resolve("shop.dwo"));
    assertThat(functions(copy)).isEmpty();
    Files.move(away, folder.resolve("shop.dwo"));
    Path packed = folder.resolve("shop.dwp");
    Fixtures.run("llvm-dwp-19", "-e", program.toString(), "-o", packed.toString());
    Files.delete(folder.resolve("shop.dwo"));
    compare(program, program);
  }

  @Test
  void inOlderPackagesToo() throws IOException {
    Path program = split("-gdwarf-4");
    Fixtures.run("sh", "-c", "cd " + folder + " && dwp -e shop -o shop.dwp");
    Files.delete(folder.resolve("shop.dwo"));
    compare(program, program);
  }

  /** Lines are in the program itself: they are left. */
  @Test
  @Timeout(20)
  void somethingElseInTheirPlaceIsNotTakenForThem() throws IOException {
    Path program = split("");
    Path unit = folder.resolve("shop.dwo");
    Files.delete(unit);
    Fixtures.run("mkfifo", unit.toString());
    Fixtures.run("mkfifo", program + ".dwp");
    assertThat(functions(program)).isEmpty();
    Files.delete(unit);
    Files.delete(folder.resolve("shop.dwp"));
    Files.writeString(unit, "no unit");
    assertThat(functions(program)).isEmpty();
    Fixtures.run("cp", "/bin/true", unit.toString());
    assertThat(functions(program)).isEmpty();
  }

  private Path split(String option) throws IOException {
    Files.writeString(folder.resolve("shop.cpp"), SOURCE);
    Fixtures.run(
        "sh",
        "-c",
        "cd %s && g++ -O2 -g -gsplit-dwarf %s -c shop.cpp && g++ shop.o -o shop"
            .formatted(folder, option));
    assertThat(folder.resolve("shop.dwo")).exists();
    return folder.resolve("shop");
  }

  /** The inlined functions at some addresses. */
  private static List<String> functions(Path program) throws IOException {
    List<String> names = new ArrayList<>();
    int lines = 0;
    try (Symbolizer symbolizer = new Symbolizer();
        ElfFile elf = ElfFile.open(program);
        Mappings mappings = Mappings.ofFile(program.toRealPath(), Files.size(program))) {
      Section text = elf.section(".text").orElseThrow();
      Mapping mapping = mappings.only();
      for (long at = 0; at < text.size(); at += 16) {
        long offset = text.fileOffset() + at;
        for (Frame frame : symbolizer.user(mapping, mapping.start() + offset, false)) {
          lines += frame.line() > 0 ? 1 : 0;
          if (frame.inlined()) {
            names.add(frame.name());
          }
        }
      }
    }
    assertThat(lines).isGreaterThan(50);
    return names;
  }

  private static void compare(Path program, Path whole) throws IOException {
    List<Long> addresses = new ArrayList<>();
    List<String> ours = new ArrayList<>();
    int inlined = 0;
    try (Symbolizer symbolizer = new Symbolizer(1 << 24, NameStyle.RAW);
        ElfFile elf = ElfFile.open(program);
        Mappings mappings = Mappings.ofFile(program.toRealPath(), Files.size(program))) {
      Section text = elf.section(".text").orElseThrow();
      Segment load =
          elf.segments().stream()
              .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
              .findFirst()
              .orElseThrow();
      Random random = new Random(3);
      Mapping mapping = mappings.only();
      for (int i = 0; i < 300; i++) {
        long address = text.elfAddress() + random.nextLong(text.size());
        long offset = address - load.elfAddress() + load.fileOffset();
        List<Frame> frames = symbolizer.user(mapping, mapping.start() + offset, false);
        if (frames.getLast().file().isEmpty()) {
          continue; // start-up code that has no debug info
        }
        addresses.add(address);
        ours.add(text(frames));
        inlined += frames.size() > 1 ? 1 : 0;
      }
    }
    assertThat(addresses).hasSizeGreaterThan(250);
    assertThat(inlined).isGreaterThan(50);
    List<String> theirs = llvm(whole, addresses);
    for (int i = 0; i < ours.size(); i++) {
      assertThat(oneAlias(ours.get(i)))
          .as("%x", addresses.get(i))
          .isEqualTo(oneAlias(theirs.get(i)));
    }
  }

  /** Constructors and destructors have several names at one address: any of them will do. */
  private static String oneAlias(String text) {
    return text.replaceAll("([CD])[0-4]E", "$1_E");
  }

  private static String text(List<Frame> frames) {
    StringBuilder text = new StringBuilder();
    for (Frame frame : frames) {
      text.append(frame.named() ? frame.name() : "??").append('\n');
      text.append(frame.file()).append(':');
      text.append(frame.line()).append('\n');
      assertThat(frame.inlined()).isEqualTo(frame != frames.getLast());
    }
    return text.toString();
  }

  private static List<String> llvm(Path file, List<Long> addresses) {
    List<String> command =
        new ArrayList<>(
            List.of("llvm-symbolizer-19", "--inlines", "--no-demangle", "-e", file.toString()));
    addresses.forEach(address -> command.add("0x" + Long.toHexString(address)));
    List<String> answers = new ArrayList<>();
    for (String answer : Fixtures.run(command.toArray(String[]::new)).split("\n\n")) {
      answers.add(answer.strip().replaceAll("(?m):\\d+$", "") + "\n");
    }
    return answers;
  }
}
