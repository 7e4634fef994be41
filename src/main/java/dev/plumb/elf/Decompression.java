package dev.plumb.elf;

import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses sections. The size that a header claims is accepted only if that many compressed
 * bytes can expand to it.
 *
 * <p>The compressed bytes are copied before they are decompressed: zlib is native code, in which a
 * page lost by truncation would crash the JVM, and bytes that change while they are read could
 * confuse a decompressor.
 */
final class Decompression {
  /** The largest section that is decompressed. */
  static final long MAX_SIZE = 512L << 20;

  /** The best ratio of deflate (zlib's technical notes: 1032 to 1); zstd gets the same limit. */
  static final long MAX_RATIO = 1032;

  private static final int CHUNK = 1 << 16;
  private static final int ELFCOMPRESS_ZLIB = 1;
  private static final int ELFCOMPRESS_ZSTD = 2;
  private static final long OLD_HEADER_SIZE = 12;

  private Decompression() {}

  /**
   * Decompresses a SHF_COMPRESSED section. Elf64_Chdr: u32 ch_type, u32 reserved, u64 ch_size, u64
   * ch_addralign; Elf32_Chdr: u32 each of ch_type, ch_size, ch_addralign.
   */
  static MemorySegment section(ElfBytes section, Arena arena) {
    long headerSize = section.is64() ? 24 : 12;
    int type = section.i32(0);
    long size = section.word(section.is64() ? 8 : 4);
    ElfBytes compressed =
        section.slice(
            Math.min(headerSize, section.size()),
            Math.max(0, section.size() - headerSize),
            "compressed");
    return switch (type) {
      case ELFCOMPRESS_ZLIB -> inflate(compressed, size, arena);
      case ELFCOMPRESS_ZSTD -> zstd(compressed, size, arena);
      default -> throw new ElfException(section.what() + ": unknown compression " + type);
    };
  }

  /** Decompresses a GNU .zdebug_ section: "ZLIB", then the size, which is always big-endian. */
  static MemorySegment old(ElfBytes section, Arena arena) {
    return inflate(
        section.slice(OLD_HEADER_SIZE, section.size() - OLD_HEADER_SIZE, "compressed"),
        oldSize(section),
        arena);
  }

  /**
   * A compressed section, to be decompressed elsewhere; empty if its header is not plausible.
   *
   * @param standard whether the format is SHF_COMPRESSED; else it is GNU's
   */
  static Optional<CompressedSection> section(Section section, ElfBytes stored, boolean standard) {
    long header = standard ? stored.is64() ? 24 : 12 : OLD_HEADER_SIZE;
    if (stored.size() < header) {
      return Optional.empty();
    }
    int type = standard ? stored.i32(0) : ELFCOMPRESS_ZLIB;
    long size = standard ? stored.word(stored.is64() ? 8 : 4) : oldSize(stored);
    ElfBytes rest = stored.slice(header, stored.size() - header, "compressed");
    boolean known = type == ELFCOMPRESS_ZLIB || type == ELFCOMPRESS_ZSTD;
    return known && size >= 0 && size / MAX_RATIO <= rest.size()
        ? Optional.of(new CompressedSection(section, size, rest, type == ELFCOMPRESS_ZSTD))
        : Optional.empty();
  }

  private static long oldSize(ElfBytes section) {
    long size = 0;
    for (int i = 4; i < OLD_HEADER_SIZE; i++) {
      size = size << 8 | section.u8(i);
    }
    return size;
  }

  static boolean isOld(ElfBytes section) {
    return section.size() >= OLD_HEADER_SIZE
        && section.u8(0) == 'Z'
        && section.u8(1) == 'L'
        && section.u8(2) == 'I'
        && section.u8(3) == 'B';
  }

  private static MemorySegment inflate(ElfBytes compressed, long size, Arena arena) {
    MemorySegment result = allocate(compressed, size, arena);
    ByteBuffer output = result.asByteBuffer();
    byte[] chunk = new byte[(int) Math.min(CHUNK, Math.max(1, compressed.size()))];
    long at = 0;
    try (Inflater inflater = new Inflater()) {
      while (output.hasRemaining() && !inflater.finished()) {
        if (inflater.needsInput()) {
          int length = (int) Math.min(chunk.length, compressed.size() - at);
          if (length == 0) {
            break;
          }
          compressed.copy(at, chunk, length);
          inflater.setInput(chunk, 0, length);
          at += length;
        }
        if (inflater.inflate(output) == 0 && !inflater.needsInput() && !inflater.finished()) {
          break;
        }
      }
    } catch (DataFormatException e) {
      throw new ElfException(compressed.what() + ": broken zlib data", e);
    }
    return complete(compressed, result, output.position());
  }

  private static MemorySegment zstd(ElfBytes compressed, long size, Arena arena) {
    MemorySegment result = allocate(compressed, size, arena);
    try (Arena copies = Arena.ofConfined()) {
      MemorySegment copy = copies.allocate(compressed.size(), 8);
      MemorySegment.copy(compressed.segment(), 0, copy, 0, compressed.size());
      int length = new ZstdJavaDecompressor().decompress(copy, result);
      return complete(compressed, result, length);
    } catch (ElfException e) {
      throw e;
    } catch (RuntimeException | InternalError | OutOfMemoryError e) {
      throw new ElfException(compressed.what() + ": broken zstd data", e);
    }
  }

  private static MemorySegment complete(ElfBytes compressed, MemorySegment result, long length) {
    if (length != result.byteSize()) {
      throw new ElfException(
          compressed.what()
              + ": decompresses to "
              + length
              + " bytes, its header says "
              + result.byteSize());
    }
    return result.asReadOnly();
  }

  private static MemorySegment allocate(ElfBytes compressed, long size, Arena arena) {
    if (size < 0 || size > MAX_SIZE || size > compressed.size() * MAX_RATIO) {
      throw new ElfException(
          compressed.what()
              + ": "
              + compressed.size()
              + " bytes cannot decompress to "
              + Long.toUnsignedString(size));
    }
    try {
      return arena.allocate(size, 8);
    } catch (OutOfMemoryError e) {
      throw new ElfException(
          compressed.what() + ": no memory for " + size + " decompressed bytes", e);
    }
  }
}
