package dev.plumb.symbols.go;

import dev.plumb.elf.DynamicEntry;
import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A file as it is loaded into memory: bytes by ELF address, and what relocations write there. */
final class LoadedImage {
  private static final int PF_W = 2;
  private static final int DT_RELA = 7;
  private static final int DT_RELASZ = 8;
  private static final int RELA_SIZE = 24;
  private static final int PIECE = 1 << 13;

  /** How many bytes are searched for a word; programs have a few MB. */
  private static final long MAX_SEARCH = 256L << 20;

  private static final int MAX_FOUND = 16;

  /** Linkers make about five. */
  private static final int MAX_PARTS = 32;

  private record Part(long elfAddress, ElfBytes bytes, boolean writable) {}

  private final List<Part> parts = new ArrayList<>();
  private final boolean is64;
  private final Optional<ElfBytes> relocations;

  LoadedImage(ElfFile elf) {
    this.is64 = elf.is64();
    for (Segment segment : elf.segments()) {
      if (parts.size() == MAX_PARTS) {
        break;
      }
      if (segment.type() == Segment.PT_LOAD && segment.fileSize() > 0) {
        try {
          boolean writable = (segment.flags() & PF_W) != 0;
          parts.add(new Part(segment.elfAddress(), elf.bytes(segment), writable));
        } catch (ElfException e) {
          // The others may suffice.
          continue;
        }
      }
    }
    this.relocations = is64 ? relocations(elf) : Optional.empty();
  }

  private Optional<ElfBytes> relocations(ElfFile elf) {
    long start = 0;
    long size = 0;
    for (DynamicEntry entry : elf.dynamic()) {
      start = entry.tag() == DT_RELA ? entry.value() : start;
      size = entry.tag() == DT_RELASZ ? entry.value() : size;
    }
    return start == 0 || size <= 0 ? Optional.empty() : Optional.of(at(start, size));
  }

  /** The bytes at an address; throws if they are not there. */
  ElfBytes at(long elfAddress, long length) {
    for (Part part : parts) {
      long into = elfAddress - part.elfAddress();
      if (into >= 0 && into <= part.bytes().size() - length) {
        return part.bytes().slice(into, length, "loaded bytes");
      }
    }
    throw new ElfException("nothing is loaded at 0x" + Long.toHexString(elfAddress));
  }

  /** The bytes from an address to the end of what is loaded there with it. */
  ElfBytes from(long elfAddress) {
    for (Part part : parts) {
      long into = elfAddress - part.elfAddress();
      if (into >= 0 && into < part.bytes().size()) {
        return part.bytes().slice(into, part.bytes().size() - into, "loaded bytes");
      }
    }
    throw new ElfException("nothing is loaded at 0x" + Long.toHexString(elfAddress));
  }

  /** Words from an address on, with relocations applied. */
  long[] words(long elfAddress, int count) {
    int size = is64 ? 8 : 4;
    ElfBytes bytes = at(elfAddress, (long) count * size);
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = bytes.word((long) i * size);
    }
    long relocationCount = relocations.map(r -> r.size() / RELA_SIZE).orElse(0L);
    for (long i = 0; i < relocationCount; i++) {
      long into = relocations.get().i64(i * RELA_SIZE) - elfAddress;
      if (into >= 0 && into < 8L * count && into % 8 == 0) {
        words[(int) (into / 8)] = relocations.get().i64(i * RELA_SIZE + 16);
      }
    }
    return words;
  }

  /** Addresses of writable words that are {@code value}, or will be after relocation. */
  List<Long> find(long value) {
    List<Long> found = new ArrayList<>();
    long relocationCount = relocations.map(r -> r.size() / RELA_SIZE).orElse(0L);
    for (long i = 0; i < relocationCount && found.size() < MAX_FOUND; i++) {
      if (relocations.get().i64(i * RELA_SIZE + 16) == value) {
        found.add(relocations.get().i64(i * RELA_SIZE));
      }
    }
    for (Part part : parts) {
      if (part.writable()) {
        find(part, value, found);
      }
    }
    return found;
  }

  private void find(Part part, long value, List<Long> found) {
    int size = is64 ? 8 : 4;
    ElfBytes bytes = part.bytes();
    long end = Math.min(bytes.size(), MAX_SEARCH) - size;
    for (long at = Math.floorMod(-part.elfAddress(), size); at <= end; at += size) {
      if (bytes.word(at) == value && found.size() < MAX_FOUND) {
        found.add(part.elfAddress() + at);
      }
    }
  }

  /** Searches the whole image for the first table of functions; returns its address. */
  Optional<Long> findTable() {
    byte[] piece = new byte[PIECE];
    for (Part part : parts) {
      ElfBytes bytes = part.bytes();
      long end = Math.min(bytes.size(), MAX_SEARCH);
      for (long from = 0; from < end; from += PIECE) {
        int length = (int) Math.min(PIECE, end - from);
        bytes.copy(from, piece, length);
        for (int i = 0; i + 8 <= length; i += 8) {
          if (looksLikeTable(piece, i)
              && PclnTable.read(bytes.slice(from + i, bytes.size() - from - i, "table"))
                  .isPresent()) {
            return Optional.of(part.elfAddress() + from + i);
          }
        }
      }
    }
    return Optional.empty();
  }

  /**
   * A quick check: the middle of the magic, which is the same in both byte orders, and the zeros.
   */
  private static boolean looksLikeTable(byte[] bytes, int at) {
    return bytes[at + 1] == -1
        && bytes[at + 2] == -1
        && bytes[at + 4] == 0
        && bytes[at + 5] == 0
        && (bytes[at + 7] == 8 || bytes[at + 7] == 4);
  }
}
