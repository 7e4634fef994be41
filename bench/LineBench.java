import dev.plumb.dwarf.DebugInfo;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.dwarf.SplitFiles;
import dev.plumb.dwarf.UnitStore;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.symbols.go.GoFunctions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * Functions and lines of random addresses, against llvm-symbolizer: equal answers, the time to the
 * first answer (for llvm-symbolizer with the start of its process) and the time of a further one.
 * Run: {@code java -cp target/classes bench/LineBench.java [-v] [-go] [-n ADDRESSES] FILE[,ALTERNATE]…};
 * {@code -go} asks Go's own table.
 */
final class LineBench {
  private static final String LLVM = "llvm-symbolizer-19";

  public static void main(String[] arguments) throws Exception {
    boolean verbose = false;
    boolean go = false;
    int count = 1000;
    System.out.printf(
        "%-34s %6s %6s %6s %6s  %9s %9s  %9s %9s %8s%n",
        "file", "asked", "known", "equal", "differ", "first ms", "llvm ms", "us each", "llvm us",
        "kept kB");
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "-v" -> verbose = true;
        case "-go" -> go = true;
        case "-n" -> count = Integer.parseInt(arguments[++i]);
        default -> compare(arguments[i], count, verbose, go);
      }
    }
  }

  private static void compare(String argument, int count, boolean verbose, boolean go) throws Exception {
    String[] names = argument.split(",");
    Path path = Path.of(names[0]).toRealPath();
    List<Long> addresses = addresses(path, count);
    List<List<String>> ours = new ArrayList<>();
    double first;
    double each;
    long kept;
    Optional<ElfFile> alternate =
        names.length > 1 ? Optional.of(ElfFile.open(Path.of(names[1]))) : Optional.empty();
    long start = System.nanoTime();
    try (ElfFile elf = ElfFile.open(path)) {
      DebugInfo info = DebugInfo.of(elf, alternate, SplitFiles.NONE, UnitStore.NONE, 16L << 20);
      LongFunction<List<SourceFrame>> frames =
          go ? GoFunctions.of(elf).orElseThrow()::frames : info::frames;
      frames.apply(addresses.getFirst());
      first = (System.nanoTime() - start) / 1e6;
      start = System.nanoTime();
      for (long address : addresses) {
        ours.add(text(frames.apply(address)));
      }
      each = (System.nanoTime() - start) / 1e3 / count;
      kept = (info.bytes() + info.decompressedBytes()) / 1024;
    }
    // Without its symbol table, which llvm-symbolizer prefers for the outermost name.
    Path bare = Files.createTempFile("lines", ".elf");
    run("llvm-objcopy-19", "-w", "-R", ".symtab", "-R", ".rela*", path.toString(), bare.toString());
    start = System.nanoTime();
    llvm(bare, addresses.subList(0, 1));
    double llvmFirst = (System.nanoTime() - start) / 1e6;
    start = System.nanoTime();
    List<List<String>> theirs = llvm(bare, addresses);
    double llvmEach = (System.nanoTime() - start) / 1e3 / count - llvmFirst * 1e3 / count;
    Files.delete(bare);
    int equal = 0;
    int known = 0;
    for (int i = 0; i < addresses.size(); i++) {
      known += ours.get(i).getFirst().startsWith("??") ? 0 : 1;
      if (ours.get(i).equals(theirs.get(i))) {
        equal++;
      } else if (verbose) {
        System.out.printf("%x%n", addresses.get(i));
        ours.get(i).forEach(l -> System.out.println("   ours   " + l));
        theirs.get(i).forEach(l -> System.out.println("   theirs " + l));
      }
    }
    System.out.printf(
        "%-34s %6d %6d %6d %6d  %9.1f %9.1f  %9.1f %9.1f %8d%n",
        path.getFileName(), count, known, equal, count - equal, first, llvmFirst, each, llvmEach,
        kept);
  }

  private static List<String> text(List<SourceFrame> frames) {
    List<String> lines = new ArrayList<>();
    for (SourceFrame f : frames) {
      String file = f.file().isEmpty() ? "??" : f.file();
      lines.add((f.bestName().isEmpty() ? "??" : f.bestName()) + " " + file + ":" + f.line());
    }
    return lines.isEmpty() ? List.of("?? ??:0") : lines;
  }

  private static List<Long> addresses(Path path, int count) {
    Random random = new Random(7);
    try (ElfFile elf = ElfFile.open(path)) {
      List<Section> code =
          elf.sections().stream()
              .filter(s -> (s.flags() & Section.SHF_EXECINSTR) != 0 && s.name().startsWith(".text"))
              .toList();
      List<Long> addresses = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Section section = code.get(i % code.size());
        addresses.add(section.elfAddress() + random.nextLong(section.size()));
      }
      return addresses;
    }
  }

  private static List<List<String>> llvm(Path file, List<Long> addresses) throws Exception {
    Path input = Files.createTempFile("lines", ".txt");
    Files.write(input, addresses.stream().map(a -> "0x" + Long.toHexString(a)).toList());
    String output =
        run(
            "sh",
            "-c",
            LLVM + " --inlines --functions=linkage --no-demangle --obj=" + file + " < " + input);
    Files.delete(input);
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

  private static String run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command));
    }
    return output;
  }
}
