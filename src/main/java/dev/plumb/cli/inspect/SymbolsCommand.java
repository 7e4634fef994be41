package dev.plumb.cli.inspect;

import dev.plumb.cli.options.DebuginfodOptions;
import dev.plumb.cli.outcome.Failures;
import dev.plumb.cli.text.SafeText;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import dev.plumb.symbols.debugfile.Debuginfod;
import dev.plumb.symbols.go.GoFunctions;
import dev.plumb.unwind.TableStatistics;
import dev.plumb.unwind.UnwindTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Shows what Plumb knows about a program or library. */
@Command(
    name = "symbols",
    description =
        "Shows what Plumb knows about a program: symbols, debug information, unwind table.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Addresses are those in the file, as nm and objdump print them.",
      "",
      "Examples:",
      "  plumb symbols /usr/bin/bash",
      "  plumb symbols ./server 0x1a2b30 0x1a2b44   which functions and lines these are",
    })
public final class SymbolsCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE", description = "A program or library.")
  Path file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ADDRESS",
      converter = Address.class,
      description = "Address to symbolize, in hexadecimal.")
  List<Long> addresses = new ArrayList<>();

  @Mixin private DebuginfodOptions debuginfodOptions = new DebuginfodOptions();

  /** {@code 0x1a2b3c} or {@code 1a2b3c}. */
  static final class Address implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Long.parseUnsignedLong(text.replaceFirst("^0[xX]", ""), 16);
      } catch (NumberFormatException e) {
        throw new TypeConversionException(
            "'" + text + "' is not an address; use a form such as 0x1a2b3c");
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + ": no such file, or not readable");
    }
    Optional<Debuginfod> servers = debuginfodOptions.servers();
    Path real = file.toRealPath();
    try (ElfFile elf = ElfFile.open(real)) {
      if (addresses.isEmpty()) {
        describe(elf, real, servers);
      } else {
        name(elf, real, addresses, servers);
      }
      return 0;
    } catch (ElfException e) {
      return Failures.failed(e, false);
    }
  }

  private static void describe(ElfFile elf, Path path, Optional<Debuginfod> servers) {
    line("file", path.toString());
    line("build id", elf.buildId().orElse("none"));
    line("language", language(elf));
    line("symbols", symbols(elf));
    boolean dwarf = elf.section(".debug_info").isPresent();
    line("debug info", dwarf ? "in the file" : separate(elf, path, servers));
    UnwindTables.Built built = UnwindTables.of(elf);
    TableStatistics statistics = built.statistics();
    line(
        "unwind table",
        "%d rows of %d functions, %d rules, %d KB; unsupported rows %d, damaged functions %d"
            .formatted(
                built.table().rows(),
                statistics.functions(),
                built.table().rules(),
                built.table().bytes() >> 10,
                statistics.unsupportedRows(),
                statistics.badFunctions()));
  }

  private static void line(String what, String value) {
    System.out.printf("%-14s%s%n", what, SafeText.line(value));
  }

  private static String language(ElfFile elf) {
    if (GoFunctions.of(elf).isPresent()) {
      return "Go";
    }
    if (hasSymbol(elf, "rust_eh_personality") || hasSymbol(elf, "__rust_alloc")) {
      return "Rust";
    }
    return hasSymbol(elf, "__gxx_personality_v0") ? "C++" : "C, or unknown";
  }

  private static boolean hasSymbol(ElfFile elf, String wanted) {
    boolean[] found = {false};
    for (String name : List.of(".symtab", ".dynsym")) {
      elf.section(name)
          .map(elf::symbols)
          .ifPresent(
              table -> {
                for (int i = 0; i < table.size() && !found[0]; i++) {
                  found[0] = table.name(i).equals(wanted);
                }
              });
    }
    return found[0];
  }

  private static String symbols(ElfFile elf) {
    return ".symtab " + count(elf, ".symtab") + ", .dynsym " + count(elf, ".dynsym");
  }

  private static String count(ElfFile elf, String name) {
    Optional<Section> section = elf.section(name);
    return section.isEmpty() ? "none" : elf.symbols(section.get()).size() + "";
  }

  private static String separate(ElfFile elf, Path path, Optional<Debuginfod> servers) {
    try (DebugFiles files = DebugFiles.ofHost().orElseThrow()) {
      List<String> places = files.places(elf, path.toString());
      Optional<DebugFile> found = files.find(elf, path.toString());
      if (found.isPresent()) {
        found.get().close();
        return found.get().path();
      }
      Optional<DebugFile> fetched = servers.flatMap(s -> elf.buildId().flatMap(s::find));
      if (fetched.isPresent()) {
        fetched.get().close();
        return fetched.get().path();
      }
      StringBuilder text = new StringBuilder("none; looked for");
      places.forEach(place -> text.append("\n                ").append(place));
      files.refusals().forEach(why -> text.append("\n                refused ").append(why));
      servers.ifPresent(s -> text.append("\n                debuginfod: ").append(s.summary()));
      return places.isEmpty() ? "none, and the file does not refer to one" : text.toString();
    }
  }

  /** Innermost first, as stacks are read; what was inlined is marked. */
  private static void name(
      ElfFile elf, Path path, List<Long> wanted, Optional<Debuginfod> servers) {
    Fd fd = new Fd(SystemCalls.tryOpen(path.toString(), SystemCalls.O_RDONLY, 0));
    try (BackingFile backing = BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
        Symbolizer symbolizer = new Symbolizer()) {
      servers.ifPresent(symbolizer::useServer);
      symbolizer.askServer();
      Mapping whole = new Mapping(0, Long.MAX_VALUE, 0, backing);
      for (long elfAddress : wanted) {
        System.out.println("0x" + Long.toHexString(elfAddress));
        OptionalLong fileOffset = fileOffset(elf, elfAddress);
        if (fileOffset.isEmpty()) {
          System.out.println("  not in the file");
          continue;
        }
        for (Frame frame : symbolizer.user(whole, fileOffset.getAsLong(), false)) {
          String place = frame.file().isEmpty() ? "" : "  " + frame.file() + ":" + frame.line();
          System.out.println(
              SafeText.line("  " + frame.name() + (frame.inlined() ? " (inlined)" : "") + place));
        }
      }
    }
  }

  private static OptionalLong fileOffset(ElfFile elf, long elfAddress) {
    for (Segment s : elf.segments()) {
      if (s.type() == Segment.PT_LOAD
          && s.executable()
          && elfAddress >= s.elfAddress()
          && elfAddress - s.elfAddress() < s.fileSize()) {
        return OptionalLong.of(elfAddress - s.elfAddress() + s.fileOffset());
      }
    }
    return OptionalLong.empty();
  }
}
