package dev.plumb.elf;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The section headers.
 *
 * <pre>
 *                 64 bit  32 bit                  64 bit  32 bit
 * sh_name    u32     0       0     sh_size   word   32      20
 * sh_type    u32     4       4     sh_link   u32    40      24
 * sh_flags   word    8       8     sh_info   u32    44      28
 * sh_addr    word   16      12     sh_addralign     48      32
 * sh_offset  word   24      16     sh_entsize       56      36
 * </pre>
 *
 * <p>Numbers too large for the file header are in section 0: sh_size is the number of sections,
 * sh_link the section of names, sh_info the number of segments.
 */
final class SectionTable {
  /** A sparse file costs nothing and may claim billions, which would take hours to go through. */
  private static final int MAX_SECTIONS = 1 << 20;

  private static final String CORRUPT_NAME = "<corrupt>";

  private final ElfBytes headers;
  private final int stride;
  private final List<Section> sections;
  private final Optional<ElfBytes> names;

  private SectionTable(ElfBytes headers, int stride, int count, ElfBytes file, int namesIndex) {
    this.headers = headers;
    this.stride = stride;
    this.sections = new HeaderList<>(count, i -> headers.guard(() -> decode(i)));
    this.names = names(file, count, namesIndex);
  }

  static SectionTable read(ElfBytes file, ElfHeader header) {
    long offset = header.sectionsOffset();
    if (offset == 0) {
      return new SectionTable(file.slice(0, 0, "section headers"), 1, 0, file, 0);
    }
    int stride = header.sectionEntrySize();
    int least = headerSize(file.is64());
    if (stride < least) {
      throw new ElfException(
          file.what() + ": section headers of " + stride + " bytes, less than " + least);
    }
    ElfBytes first = file.slice(offset, stride, "section header 0");
    long count = header.sectionCount() != 0 ? header.sectionCount() : sizeField(first, 0);
    if (count < 0 || count > MAX_SECTIONS) {
      throw new ElfException(file.what() + ": " + Long.toUnsignedString(count) + " sections");
    }
    ElfBytes headers = file.slice(offset, count * stride, "section headers");
    int namesIndex = header.sectionNames();
    if (namesIndex == ElfHeader.SHN_XINDEX) {
      namesIndex = first.i32(first.is64() ? 40 : 24);
    }
    return new SectionTable(headers, stride, (int) count, file, namesIndex);
  }

  /** The number of segments if the file header refers to section 0 for it. */
  static long extendedSegmentCount(ElfBytes file, ElfHeader header) {
    return file.slice(header.sectionsOffset(), headerSize(file.is64()), "section header 0")
        .u32(file.is64() ? 44 : 28);
  }

  List<Section> list() {
    return sections;
  }

  Optional<Section> find(String name) {
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    if (names.isEmpty()) {
      return Optional.empty();
    }
    return headers.guard(
        () -> {
          for (int i = 1; i < sections.size(); i++) {
            if (names.get().stringEquals(headers.u32((long) i * stride), wanted)) {
              return Optional.of(decode(i));
            }
          }
          return Optional.empty();
        });
  }

  private Optional<ElfBytes> names(ElfBytes file, int count, int index) {
    if (index <= 0 || index >= count) {
      return Optional.empty();
    }
    long at = (long) index * stride;
    try {
      return Optional.of(
          file.slice(
              headers.word(at + (headers.is64() ? 24 : 16)), sizeField(headers, at), "names"));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private Section decode(int index) {
    long at = (long) index * stride;
    boolean is64 = headers.is64();
    return new Section(
        index,
        name(headers.u32(at)),
        headers.i32(at + 4),
        headers.word(at + 8),
        headers.word(at + (is64 ? 16 : 12)),
        headers.word(at + (is64 ? 24 : 16)),
        sizeField(headers, at),
        headers.i32(at + (is64 ? 40 : 24)),
        headers.i32(at + (is64 ? 44 : 28)),
        headers.word(at + (is64 ? 48 : 32)),
        headers.word(at + (is64 ? 56 : 36)));
  }

  /** A damaged name does not make the section unusable. */
  private String name(long offset) {
    if (names.isEmpty()) {
      return offset == 0 ? "" : CORRUPT_NAME;
    }
    try {
      return names.get().string(offset);
    } catch (ElfException e) {
      return CORRUPT_NAME;
    }
  }

  private static long sizeField(ElfBytes headers, long at) {
    return headers.word(at + (headers.is64() ? 32 : 20));
  }

  private static int headerSize(boolean is64) {
    return is64 ? 64 : 40;
  }
}
