package dev.plumb.bpf.btf;

import dev.plumb.bpf.BpfException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The types of the running kernel and of its modules, read when first asked for and then kept: use
 * one for several loads, and let go of it afterwards, for it is megabytes.
 */
public final class KernelTypes {
  private static final Path FOLDER = Path.of("/sys/kernel/btf");

  /** What is in use somewhere need not be read again. */
  private static WeakReference<Btf> lastRead = new WeakReference<>(null);

  private final Supplier<Btf> kernelReader;
  private final Function<Btf, List<Module>> modulesReader;
  private Btf kernel;
  private List<Module> modules;

  private KernelTypes(Supplier<Btf> kernelReader, Function<Btf, List<Module>> modulesReader) {
    this.kernelReader = kernelReader;
    this.modulesReader = modulesReader;
  }

  /** The split BTF of one module, parsed when asked for. */
  public static final class Module {
    private final String name;
    private final Supplier<Btf> reader;
    private Btf types;

    private Module(String name, Supplier<Btf> reader) {
      this.name = name;
      this.reader = reader;
    }

    public String name() {
      return name;
    }

    public synchronized Btf types() {
      if (types == null) {
        types = reader.get();
      }
      return types;
    }
  }

  /** Those of this machine. */
  public static KernelTypes running() {
    return new KernelTypes(KernelTypes::readKernel, KernelTypes::list);
  }

  private static Btf readKernel() {
    synchronized (KernelTypes.class) {
      Btf known = lastRead.get();
      if (known == null) {
        known = read(FOLDER.resolve("vmlinux"), Btf::of);
        lastRead = new WeakReference<>(known);
      }
      return known;
    }
  }

  /** Other types, without modules. */
  public static KernelTypes of(Btf kernel) {
    return new KernelTypes(() -> kernel, base -> List.of());
  }

  public synchronized Btf kernel() {
    if (kernel == null) {
      kernel = kernelReader.get();
    }
    return kernel;
  }

  /** In the order of their names. */
  public synchronized List<Module> modules() {
    if (modules == null) {
      modules = modulesReader.apply(kernel());
    }
    return modules;
  }

  private static List<Module> list(Btf base) {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(file -> !file.endsWith("vmlinux"))
          .sorted()
          .map(
              file ->
                  new Module(
                      file.getFileName().toString(),
                      () -> read(file, bytes -> Btf.split(bytes, base))))
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static Btf read(Path file, Function<MemorySegment, Btf> parser) {
    int number = SystemCalls.tryOpen(file.toString(), SystemCalls.O_RDONLY, 0);
    if (number < 0) {
      throw new BpfException(
          "cannot read the kernel's types from "
              + file
              + ": "
              + Errno.name(-number)
              + "; needs a kernel built with CONFIG_DEBUG_INFO_BTF");
    }
    try (Fd fd = new Fd(number);
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(SystemCalls.statx(fd).size());
      long have = 0;
      while (have < bytes.byteSize()) {
        long n = SystemCalls.tryRead(fd.number(), bytes.asSlice(have));
        if (n <= 0) {
          break;
        }
        have += n;
      }
      return parser.apply(bytes.asSlice(0, have));
    }
  }
}
