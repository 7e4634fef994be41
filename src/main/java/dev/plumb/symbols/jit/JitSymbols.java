package dev.plumb.symbols.jit;

import dev.plumb.linux.Clock;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Names the JIT code of many processes, from the files that their compilers write for perf. Not
 * thread-safe.
 *
 * <p>Nothing throws: without a usable file there are no names, and {@link #problems} says what is
 * wrong with it.
 */
public final class JitSymbols implements AutoCloseable {
  /**
   * The default memory limit for all processes together. One process may use half of it for its
   * perf map and half for its jitdump. Reading takes another 2 MB, and while a file is read, as
   * much again as is kept of it.
   */
  public static final long DEFAULT_BYTES = 16L << 20;

  private static final int MAX_PROCESSES = 4096;
  private static final int MAX_OPEN_FILES = 256;
  private static final int MAX_MESSAGES = 100;

  private final long ceiling;
  private final Map<JitProcess, ProcessCode> processes = new LinkedHashMap<>(64, 0.75f, true);
  private final List<String> problems = new ArrayList<>();
  private final ProcReader proc = new ProcReader();
  private final FileWindow window = new FileWindow();
  private final ProcessCode.Tools tools =
      new ProcessCode.Tools(
          proc, window, new AddressRangeBatch(), new UntrustedFiles(this::note), this::note);

  /** Of all processes except the one whose lookup is going on. */
  private long bytes;

  private int openFiles;

  public JitSymbols() {
    this(DEFAULT_BYTES);
  }

  /** {@code ceiling}: the memory limit; the processes used last are kept. */
  public JitSymbols(long ceiling) {
    this.ceiling = ceiling;
  }

  /**
   * The function at an address at a time; empty if no file has it.
   *
   * @param processAddress for a return address, one less: the call is just before it
   * @param monotonicTime CLOCK_MONOTONIC in nanoseconds: code moves, and other code takes its place
   */
  public Optional<JitFunction> at(JitProcess process, long processAddress, long monotonicTime) {
    ProcessCode code = take(process);
    try {
      return code.at(processAddress, monotonicTime);
    } finally {
      giveBack(process, code);
    }
  }

  /** The same; also finds a jitdump that the image keeps open after its process has ended. */
  public Optional<JitFunction> at(ProcessImage image, long processAddress, long monotonicTime) {
    JitProcess process = JitProcess.of(image);
    Optional<JitFunction> found = at(process, processAddress, monotonicTime);
    if (found.isPresent() || !processes.get(process).wantsDump(image.version())) {
      return found;
    }
    Optional<Path> dump = dumpOf(image);
    if (dump.isEmpty()) {
      return found;
    }
    ProcessCode code = take(process);
    code.dumpAt(dump.get().toString());
    giveBack(process, code);
    return at(process, processAddress, monotonicTime);
  }

  private static Optional<Path> dumpOf(ProcessImage image) {
    for (Mapping mapping : image.code()) {
      BackingFile file = mapping.file();
      if (MappedJitDump.isDump(file.path()) && file.readable().isPresent()) {
        return file.readable();
      }
    }
    return Optional.empty();
  }

  /**
   * Opens and reads the files of a process now, so that its code has names after it has ended. For
   * a process in a container this is the only way: its files disappear together with it.
   */
  public void notice(JitProcess process) {
    ProcessCode code = take(process);
    code.refresh(Clock.monotonic());
    giveBack(process, code);
  }

  private ProcessCode take(JitProcess process) {
    ProcessCode known = processes.get(process);
    if (known == null) {
      known = new ProcessCode(process, ceiling, tools);
      processes.put(process, known);
      return known;
    }
    bytes -= known.bytes();
    openFiles -= known.openFiles();
    return known;
  }

  /** Closes the least recently used ones; the one just used is kept whatever its size. */
  private void giveBack(JitProcess process, ProcessCode code) {
    bytes += code.bytes();
    openFiles += code.openFiles();
    Iterator<Map.Entry<JitProcess, ProcessCode>> eldest = processes.entrySet().iterator();
    while (isTooMuch() && eldest.hasNext()) {
      Map.Entry<JitProcess, ProcessCode> entry = eldest.next();
      if (!entry.getKey().equals(process)) {
        bytes -= entry.getValue().bytes();
        openFiles -= entry.getValue().openFiles();
        entry.getValue().close();
        eldest.remove();
      }
    }
  }

  private boolean isTooMuch() {
    return bytes > ceiling || openFiles > MAX_OPEN_FILES || processes.size() > MAX_PROCESSES;
  }

  private void note(String problem) {
    if (problems.size() < MAX_MESSAGES && !problems.contains(problem)) {
      problems.add(problem);
    }
  }

  /** The first hundred problems with files. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** The memory in use. */
  public long bytes() {
    return bytes;
  }

  /** How many pieces of code of a process are known; 0 without a lookup before. */
  public int functions(JitProcess process) {
    ProcessCode code = processes.get(process);
    return code == null ? 0 : code.functions();
  }

  @Override
  public void close() {
    processes.values().forEach(ProcessCode::close);
    processes.clear();
    bytes = 0;
    openFiles = 0;
    window.close();
    proc.close();
  }
}
