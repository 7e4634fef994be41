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
 * Names of JIT code of many processes, by what their compilers wrote for perf. Not for use by
 * several threads at once.
 *
 * <p>Nothing throws: a file that is missing, broken or not what it should be costs names, and is in
 * {@link #problems}.
 */
public final class JitSymbols implements AutoCloseable {
  /**
   * What may be kept of all processes, unless told otherwise; one of them may have half of it for
   * its perf map and half for its dump. Two MB come on top for reading, and while a file is read,
   * as much again as is kept of it.
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

  /** Of all processes, but not of the one that is being asked. */
  private long bytes;

  private int openFiles;

  public JitSymbols() {
    this(DEFAULT_BYTES);
  }

  /** With a ceiling for what is kept; what was used last is kept. */
  public JitSymbols(long ceiling) {
    this.ceiling = ceiling;
  }

  /**
   * The function at an address at a time; empty if no file tells.
   *
   * @param processAddress for a return address, one less: the call is just before it
   * @param monotonicTime CLOCK_MONOTONIC nanoseconds: code moves, and another takes its place
   */
  public Optional<JitFunction> at(JitProcess process, long processAddress, long monotonicTime) {
    ProcessCode code = take(process);
    try {
      return code.at(processAddress, monotonicTime);
    } finally {
      giveBack(process, code);
    }
  }

  /** The same; a dump that the image holds open is found even if its process has ended. */
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
   * Opens and reads the files of a process now, so that its code has names when it has ended. For a
   * process in a container this is the only way: what it sees ends with it.
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

  /** Closes what was used least lately; the one that was just used is kept whatever its size. */
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

  /** What was wrong with files, the first hundred. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** What is kept now. */
  public long bytes() {
    return bytes;
  }

  /** How many pieces of code are known of a process; 0 of one that was not asked for. */
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
