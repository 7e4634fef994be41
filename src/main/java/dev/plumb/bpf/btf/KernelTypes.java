package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The types of the running kernel and of its modules, read when first asked for and then kept: use
 * one for several loads, and {@link #letGo} afterwards, for they are megabytes.
 */
public final class KernelTypes {
  private static final File FOLDER = new File("/sys/kernel/btf");
  private static final String KERNEL = "vmlinux";

  /** What is in use somewhere need not be read again. */
  private static WeakReference<Btf> lastRead = new WeakReference<>(null);

  private Btf kernel;
  private List<Module> modules;

  /** They can be read again. */
  private final boolean running;

  private KernelTypes(Btf kernel, List<Module> modules, boolean running) {
    this.kernel = kernel;
    this.modules = modules;
    this.running = running;
  }

  /** The split BTF of one module, parsed when asked for. */
  public static final class Module {
    private final String name;
    private final Btf base;
    private Btf types;

    private Module(String name, Btf base, Btf types) {
      this.name = name;
      this.base = base;
      this.types = types;
    }

    /** A module with the types that somebody has for it. */
    public static Module of(String name, Btf types) {
      return new Module(name, null, types);
    }

    public String name() {
      return name;
    }

    public synchronized Btf types() {
      if (types == null) {
        types = KernelTypes.read(name, base);
      }
      return types;
    }
  }

  /** Those of this machine. */
  public static KernelTypes running() {
    return new KernelTypes(null, null, true);
  }

  /** Other types, without modules. */
  public static KernelTypes of(Btf kernel) {
    return new KernelTypes(kernel, List.of(), false);
  }

  /** Other types, with modules. */
  public static KernelTypes of(Btf kernel, List<Module> modules) {
    return new KernelTypes(kernel, List.copyOf(modules), false);
  }

  public synchronized Btf kernel() {
    if (kernel == null) {
      kernel = readKernel();
    }
    return kernel;
  }

  /** Gives the memory back; whoever asks for them later has them read again. */
  public synchronized void letGo() {
    if (running) {
      kernel = null;
      modules = null;
    }
  }

  /** In the order of their names. */
  public synchronized List<Module> modules() {
    if (modules == null) {
      List<Module> found = new ArrayList<>();
      String[] names = FOLDER.list();
      if (names != null) {
        Arrays.sort(names);
        for (String name : names) {
          if (!name.equals(KERNEL)) {
            found.add(new Module(name, kernel(), null));
          }
        }
      }
      modules = List.copyOf(found);
    }
    return modules;
  }

  private static Btf readKernel() {
    synchronized (KernelTypes.class) {
      Btf known = lastRead.get();
      if (known == null) {
        known = read(KERNEL, null);
        lastRead = new WeakReference<>(known);
      }
      return known;
    }
  }

  private static Btf read(String name, Btf base) {
    File path = new File(FOLDER, name);
    int number = SystemCalls.tryOpen(path.toString(), SystemCalls.O_RDONLY, 0);
    if (number < 0) {
      throw new BpfException(
          "cannot read the kernel's types from "
              + path
              + ": "
              + Errno.name(-number)
              + "; needs a kernel built with CONFIG_DEBUG_INFO_BTF");
    }
    try (Fd fd = new Fd(number);
        MappedMemory mapped = map(fd)) {
      return new BtfReader.OfMemory(mapped.segment()).read(base);
    } catch (SyscallException e) {
      return readPieces(path, base);
    }
  }

  /** Since 6.16; saves more than a thousand reads of a page each. */
  private static MappedMemory map(Fd fd) {
    return SystemCalls.mmap(
        fd, SystemCalls.statx(fd).size(), SystemCalls.PROT_READ, SystemCalls.MAP_PRIVATE, 0);
  }

  static Btf readPieces(File path, Btf base) {
    try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
      return new BtfReader.OfFile(file).read(base);
    } catch (IOException e) {
      throw new BpfException("cannot read " + path, e);
    }
  }
}
