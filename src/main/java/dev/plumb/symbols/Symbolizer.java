package dev.plumb.symbols;

import dev.plumb.dwarf.SourceFrame;
import dev.plumb.elf.ElfException;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Kallsyms;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.Vdso;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.symbols.debugfile.Debuginfod;
import dev.plumb.symbols.demangle.NameStyle;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Names addresses. Not for use by several threads at once.
 *
 * <p>Files are hostile: whatever is wrong with one costs the names of its frames, is counted, and
 * throws nothing.
 */
public final class Symbolizer implements AutoCloseable {
  /** What the symbol tables of user-space files may take, unless told otherwise. */
  public static final long DEFAULT_TABLE_BYTES = 24L << 20;

  private static final String KERNEL = "[kernel]";
  private static final String ANONYMOUS = "[anon]";
  private static final int MAX_MESSAGES = 100;

  private final ModuleCache modules;
  private final int maxFunctions;
  private final UnaryOperator<String> nameStyle;
  private final FutureTask<Kallsyms> kallsyms;
  private final Map<UnnamedReason, Long> unnamed = new EnumMap<>(UnnamedReason.class);
  private final List<String> fileProblems = new ArrayList<>();
  private Optional<ElfModule> vdso = Optional.empty();
  private final DebugFileSearch debugSearch = new DebugFileSearch();
  private Optional<Debuginfod> server = Optional.empty();
  private boolean asking;

  public Symbolizer() {
    this(DEFAULT_TABLE_BYTES);
  }

  /**
   * Limits the symbol tables kept in memory; those used last are kept. Making a table may take as
   * much again; a file whose table would take more has no names. Names are demangled.
   */
  public Symbolizer(long tableBytes) {
    this(tableBytes, NameStyle.FULL);
  }

  /**
   * {@code nameStyle} turns the name in the file into the name shown, as {@link NameStyle} does.
   */
  public Symbolizer(long tableBytes, UnaryOperator<String> nameStyle) {
    this(tableBytes, nameStyle, Kallsyms::load);
  }

  Symbolizer(long tableBytes, UnaryOperator<String> nameStyle, Supplier<Kallsyms> kallsymsSource) {
    this.modules = new ModuleCache(tableBytes);
    this.maxFunctions =
        (int) Math.min(Integer.MAX_VALUE / 2, tableBytes / FunctionTableBuilder.BYTES_PER_FUNCTION);
    this.nameStyle = nameStyle;
    this.kallsyms = new FutureTask<>(kallsymsSource::get);
  }

  /**
   * Opens the debug file of a container's file now, because it may be gone when a name is needed.
   * One other thread may call this while this object is in use.
   */
  public void hold(BackingFile file) {
    file.readable().ifPresent(path -> debugSearch.hold(path, file));
  }

  /**
   * Uses another folder than the user's for decompressed sections and for indexes, which are saved
   * from {@code leastIndexed} bytes on.
   */
  void keepIn(SymbolCacheFolder folder, long leastIndexed) {
    debugSearch.keepIn(folder, leastIndexed);
  }

  /**
   * Names the server that may have debug files which this machine does not have. Requests take
   * time, so there are none before {@link #askServer}.
   */
  public void useServer(Debuginfod debuginfod) {
    server = Optional.of(debuginfod);
  }

  /**
   * From now on, requests debug files from servers. Names given before may not be the best ones.
   */
  public void askServer() {
    server.ifPresent(debugSearch::ask);
    if (server.isPresent() && !asking) {
      asking = true;
      modules.forgetIf(ElfModule::lacksDebugFile);
    }
  }

  /** Whether names in that file may get better after {@link #askServer}. */
  public boolean mayLearnMore(BackingFile file) {
    return server.isPresent()
        && !asking
        && file.identity().flatMap(modules::known).filter(ElfModule::lacksDebugFile).isPresent();
  }

  /** Starts to read the kernel's symbols, on a thread of its own. */
  public void prepare() {
    Thread.ofPlatform().daemon().name("kernel-symbols").start(kallsyms);
  }

  /** The frame of a kernel address; unnamed if kallsyms does not have it. */
  public Frame kernel(long kernelAddress) {
    return kernel(kernelAddress, false);
  }

  /**
   * The same.
   *
   * @param returnAddress whether it was found on the stack, so that the call is just before it
   */
  public Frame kernel(long kernelAddress, boolean returnAddress) {
    long address = returnAddress ? kernelAddress - 1 : kernelAddress;
    Kallsyms symbols = kallsyms();
    int symbol = symbols.find(address);
    if (symbol < 0) {
      count(UnnamedReason.KERNEL);
      return frame(unknown(KERNEL, address), FrameKind.KERNEL, false, KERNEL, "", address, 0);
    }
    String module = symbols.module(symbol);
    return frame(
        symbols.name(symbol),
        FrameKind.KERNEL,
        true,
        module.isEmpty() ? KERNEL : module,
        "",
        address,
        address - symbols.kernelAddress(symbol));
  }

  /** Gives back the memory that files take, while there are no lookups. */
  public void rest() {
    modules.rest();
  }

  /** Why kernel addresses have no names, and what to do about it. */
  public Optional<String> kernelProblem() {
    return kallsyms().problem();
  }

  private Kallsyms kallsyms() {
    kallsyms.run(); // does nothing if that was done, or is being done
    try {
      return kallsyms.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while reading kernel symbols", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot read kernel symbols", e.getCause());
    }
  }

  /**
   * The frames at an address of a process, leaf first: the functions inlined there, then the
   * function itself. Never empty: a frame without a name is {@code [unknown in libfoo.so+0x1234]},
   * where the number is the ELF address. A frame's own ELF address is the one looked up; for a
   * return address, that is one byte before it.
   *
   * @param returnAddress whether it was found on the stack, so that the call is just before it
   */
  public List<Frame> user(Mapping mapping, long processAddress, boolean returnAddress) {
    long address = returnAddress ? processAddress - 1 : processAddress;
    BackingFile file = mapping.file();
    return switch (file.kind()) {
      case ANONYMOUS -> List.of(anonymous(mapping, address));
      case VDSO -> inVdso(mapping, address);
      case FILE -> inFile(mapping, address);
    };
  }

  private Frame anonymous(Mapping mapping, long address) {
    String path = mapping.file().path();
    boolean nameless = path.isEmpty() || path.startsWith("//anon");
    String shown = path.isEmpty() ? "//anon" : path;
    return unnamed(
        UnnamedReason.ANONYMOUS,
        shown,
        nameless ? ANONYMOUS : mapping.file().name(),
        "",
        address - mapping.start());
  }

  private List<Frame> inVdso(Mapping mapping, long address) {
    long offset = address - mapping.start();
    if (mapping.end() >>> 32 == 0) {
      return List.of(
          unnamed(
              UnnamedReason.FOREIGN_VDSO,
              mapping.file().name(),
              mapping.file().name(),
              "",
              offset));
    }
    if (vdso.isEmpty()) {
      vdso = Optional.of(readVdso());
    }
    return inModule(vdso.get(), offset);
  }

  private ElfModule readVdso() {
    try {
      return ElfModule.read(MemorySegment.ofArray(Vdso.image()), "[vdso]", maxFunctions);
    } catch (SyscallException e) {
      noteProblem("[vdso]: " + e.getMessage());
      return ElfModule.read(MemorySegment.NULL, "[vdso]", maxFunctions);
    }
  }

  private List<Frame> inFile(Mapping mapping, long address) {
    BackingFile file = mapping.file();
    long fileOffset = mapping.fileOffsetOf(address);
    Optional<Path> path = file.readable();
    Optional<FileIdentity> identity = file.identity();
    if (path.isEmpty() || identity.isEmpty()) {
      return List.of(unnamed(UnnamedReason.UNREADABLE, file.name(), file.name(), "", fileOffset));
    }
    return inModule(modules.get(identity.get(), () -> readModule(path.get(), file)), fileOffset);
  }

  private ElfModule readModule(Path path, BackingFile file) {
    ElfModule module = ElfModule.read(path, maxFunctions, debugSearch.of(file));
    if (!module.message().isEmpty()) {
      noteProblem(module.name() + ": " + module.message());
    }
    debugSearch.problems(this::noteProblem);
    return module;
  }

  private List<Frame> inModule(ElfModule module, long fileOffset) {
    OptionalLong loaded = module.loads().elfAddress(fileOffset);
    if (loaded.isEmpty()) {
      UnnamedReason why =
          module.problem().filter(p -> p == UnnamedReason.BROKEN).orElse(UnnamedReason.OUTSIDE);
      return List.of(unnamed(why, module.name(), module.name(), module.buildId(), fileOffset));
    }
    long elfAddress = loaded.getAsLong();
    List<SourceFrame> sources = module.sources().at(elfAddress);
    return sources.isEmpty()
        ? List.of(function(module, elfAddress))
        : withSources(module, elfAddress, sources);
  }

  /** The frame by the symbol table alone. */
  private Frame function(ElfModule module, long elfAddress) {
    int function = module.functions().find(elfAddress);
    if (function < 0) {
      Optional<PltNames.Entry> entry = module.plt().find(elfAddress);
      if (entry.isPresent()) {
        return frame(
            pltName(module, entry.get()),
            FrameKind.NATIVE,
            true,
            module.name(),
            module.buildId(),
            elfAddress,
            elfAddress - entry.get().elfAddress());
      }
      UnnamedReason why = module.problem().orElse(UnnamedReason.BETWEEN);
      return unnamed(why, module.name(), module.name(), module.buildId(), elfAddress);
    }
    try {
      return frame(
          module.functions().name(function, nameStyle),
          FrameKind.NATIVE,
          true,
          module.name(),
          module.buildId(),
          elfAddress,
          elfAddress - module.functions().elfAddress(function));
    } catch (ElfException e) {
      noteProblem(module.name() + ": " + e.getMessage());
      return unnamed(
          UnnamedReason.BROKEN, module.name(), module.name(), module.buildId(), elfAddress);
    }
  }

  /**
   * {@code puts@plt}, as objdump writes it. A resolver has the name of the function it resolves.
   */
  private String pltName(ElfModule module, PltNames.Entry entry) {
    if (!entry.target().isEmpty()) {
      return nameStyle.apply(entry.target()) + "@plt";
    }
    int resolver = module.functions().find(entry.resolver());
    try {
      return resolver >= 0 && module.functions().elfAddress(resolver) == entry.resolver()
          ? module.functions().name(resolver, nameStyle) + "@plt"
          : "*ABS*+0x" + Long.toHexString(entry.resolver()) + "@plt";
    } catch (ElfException e) {
      return "*ABS*+0x" + Long.toHexString(entry.resolver()) + "@plt";
    }
  }

  /** The outermost function gets its name from the symbol table, if that has one. */
  private List<Frame> withSources(ElfModule module, long elfAddress, List<SourceFrame> sources) {
    List<Frame> frames = new ArrayList<>(sources.size());
    for (int i = 0; i < sources.size(); i++) {
      SourceFrame source = sources.get(i);
      boolean outermost = i == sources.size() - 1;
      boolean inTable = outermost && module.functions().find(elfAddress) >= 0;
      Frame named =
          inTable || source.bestName().isEmpty()
              ? function(module, elfAddress)
              : frame(
                  nameStyle.apply(source.bestName()),
                  FrameKind.NATIVE,
                  true,
                  module.name(),
                  module.buildId(),
                  elfAddress,
                  0);
      frames.add(named.at(source.file(), source.line(), source.inlined()));
    }
    return frames;
  }

  private Frame unnamed(
      UnnamedReason why, String shown, String module, String buildId, long elfAddress) {
    count(why);
    return frame(
        unknown(shown, elfAddress), FrameKind.NATIVE, false, module, buildId, elfAddress, 0);
  }

  private static Frame frame(
      String name,
      FrameKind kind,
      boolean named,
      String module,
      String buildId,
      long elfAddress,
      long offset) {
    return new Frame(name, kind, false, named, module, buildId, elfAddress, offset, "", 0);
  }

  private static String unknown(String place, long elfAddress) {
    return "[unknown in " + place + "+0x" + Long.toHexString(elfAddress) + "]";
  }

  private void count(UnnamedReason why) {
    unnamed.merge(why, 1L, Long::sum);
  }

  private void noteProblem(String message) {
    if (fileProblems.size() < MAX_MESSAGES && !fileProblems.contains(message)) {
      fileProblems.add(message);
    }
  }

  /** The number of lookups without a name, by reason. */
  public Map<UnnamedReason, Long> unnamedCounts() {
    return Map.copyOf(unnamed);
  }

  /** The first hundred problems with files. */
  public List<String> fileProblems() {
    return List.copyOf(fileProblems);
  }

  /** The memory of the symbol tables of user-space files; the kernel's are not included. */
  public long tableBytes() {
    return modules.bytes();
  }

  /** How many files were read so far; one that was read twice counts twice. */
  public long filesRead() {
    return modules.loads();
  }

  /** Unmaps and closes all files. */
  @Override
  public void close() {
    modules.close();
    debugSearch.close();
  }
}
