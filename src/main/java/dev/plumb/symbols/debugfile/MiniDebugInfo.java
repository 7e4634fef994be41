package dev.plumb.symbols.debugfile;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.elf.SectionStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.tukaani.xz.XZInputStream;

/**
 * The ELF file in a section {@code .gnu_debugdata}, compressed by xz: the function symbols of a
 * stripped file that are not in its {@code .dynsym} (gdb's manual, "MiniDebugInfo").
 */
public final class MiniDebugInfo {
  /** The largest one that is decompressed. Those in distributions have a few megabytes at most. */
  static final int MAX_SIZE = 64 << 20;

  /** The memory for decompression: enough up to {@code xz -7}. */
  private static final int MAX_MEMORY_KIB = 20 << 10;

  private static final int CHUNK = 1 << 16;

  private MiniDebugInfo() {}

  /**
   * The image of that ELF file, in memory of {@code arena}; empty if there is none.
   *
   * @throws ElfException if it is damaged or too large
   */
  public static Optional<MemorySegment> read(ElfFile elf, Arena arena) {
    Optional<Section> section = elf.section(".gnu_debugdata");
    return section.isEmpty()
        ? Optional.empty()
        : Optional.of(
            LostPages.guard(elf.name(), () -> decompress(elf.bytes(section.get()), elf, arena)));
  }

  /** Decompresses twice: first to learn the size, so that memory is allocated once, as needed. */
  private static MemorySegment decompress(ElfBytes packed, ElfFile elf, Arena arena) {
    try {
      long size = unpack(packed, elf, MemorySegment.NULL);
      MemorySegment image = arena.allocate(size, 8);
      if (unpack(packed, elf, image) != size) {
        throw new ElfException(elf.name() + ": .gnu_debugdata changed while it was read");
      }
      return image.asReadOnly();
    } catch (IOException | OutOfMemoryError e) {
      throw new ElfException(elf.name() + ": broken .gnu_debugdata: " + e.getMessage(), e);
    }
  }

  /** Returns the decompressed size; copies as many bytes as fit to {@code target}. */
  private static long unpack(ElfBytes packed, ElfFile elf, MemorySegment target)
      throws IOException {
    byte[] chunk = new byte[CHUNK];
    long size = 0;
    try (XZInputStream in = new XZInputStream(new SectionStream(packed), MAX_MEMORY_KIB)) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (n > MAX_SIZE - size) {
          throw new ElfException(
              elf.name() + ": .gnu_debugdata has more than " + MAX_SIZE + " bytes unpacked");
        }
        int fitting = Math.clamp(target.byteSize() - size, 0, n);
        if (fitting > 0) {
          MemorySegment.copy(chunk, 0, target, JAVA_BYTE, size, fitting);
        }
        size += n;
      }
    }
    return size;
  }
}
