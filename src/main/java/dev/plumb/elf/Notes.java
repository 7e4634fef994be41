package dev.plumb.elf;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Reads notes.
 *
 * <pre>
 *  0 u32 namesz   8  u32 type
 *  4 u32 descsz   12 owner with its NUL, padding, content, padding
 * </pre>
 *
 * Padding is to 4 bytes, or to 8 if the section or segment has that alignment.
 */
final class Notes {
  /** A file with more counts as damaged; libjvm.so with all its probes has about 600. */
  static final int MAX_NOTES = 1 << 16;

  private static final int HEADER_SIZE = 12;
  private static final int MAX_OWNER = 256;
  private static final int MAX_BUILD_ID = 64;
  private static final int MAX_GO_BUILD_ID = 1024;
  private static final int NT_GNU_BUILD_ID = 3;
  private static final int NT_GO_BUILD_ID = 4;
  private static final int NT_STAPSDT = 3;

  private Notes() {}

  /** A run of notes and the alignment of its parts. */
  record Run(ElfBytes bytes, long alignment) {}

  /** Collects the notes that are wanted, no more than {@code most}. */
  static List<Note> read(List<Run> runs, Predicate<Note> wanted, int most) {
    List<Note> found = new ArrayList<>();
    int seen = 0;
    for (Run run : runs) {
      ElfBytes bytes = run.bytes();
      long padding = run.alignment() == 8 ? 8 : 4;
      long at = 0;
      while (bytes.size() - at >= HEADER_SIZE) {
        if (++seen > MAX_NOTES) {
          throw new ElfException(bytes.what() + ": more than " + MAX_NOTES + " notes");
        }
        long ownerSize = bytes.u32(at);
        long contentSize = bytes.u32(at + 4);
        long contentAt = at + padded(HEADER_SIZE + ownerSize, padding);
        ElfBytes content = bytes.slice(contentAt, contentSize, "note");
        Note note = new Note(owner(bytes, at, ownerSize), bytes.i32(at + 8), content.segment());
        if (wanted.test(note)) {
          found.add(note);
          if (found.size() == most) {
            return found;
          }
        }
        at = contentAt + padded(contentSize, padding);
      }
    }
    return found;
  }

  static Optional<String> buildId(List<Run> runs, ElfBytes file) {
    return read(runs, Notes::isBuildId, 1).stream()
        .findFirst()
        .map(n -> HexFormat.of().formatHex(bytes(file, n)));
  }

  private static boolean isBuildId(Note note) {
    long size = note.content().byteSize();
    return is(note, "GNU", NT_GNU_BUILD_ID) && size > 0 && size <= MAX_BUILD_ID;
  }

  static Optional<String> goBuildId(List<Run> runs, ElfBytes file) {
    return read(
            runs, n -> is(n, "Go", NT_GO_BUILD_ID) && n.content().byteSize() <= MAX_GO_BUILD_ID, 1)
        .stream()
        .findFirst()
        .map(n -> new String(bytes(file, n), StandardCharsets.UTF_8));
  }

  /** {@code linkedBase} is the address of .stapsdt.base now, or 0. */
  static List<UsdtNote> usdt(List<Run> runs, ElfBytes file, long linkedBase) {
    return read(runs, n -> is(n, "stapsdt", NT_STAPSDT), MAX_NOTES).stream()
        .map(n -> usdt(file.with(n.content()), linkedBase))
        .toList();
  }

  private static UsdtNote usdt(ElfBytes note, long linkedBase) {
    int word = note.is64() ? 8 : 4;
    long base = note.word(word);
    long moved = linkedBase == 0 || base == 0 ? 0 : linkedBase - base;
    long semaphore = note.word(2L * word);
    long providerAt = 3L * word;
    long nameAt = providerAt + note.stringLength(providerAt) + 1;
    long argumentsAt = nameAt + note.stringLength(nameAt) + 1;
    return new UsdtNote(
        note.string(providerAt),
        note.string(nameAt),
        note.word(0) + moved,
        base,
        semaphore == 0 ? 0 : semaphore + moved,
        note.string(argumentsAt));
  }

  private static boolean is(Note note, String owner, int type) {
    return note.type() == type && note.owner().equals(owner);
  }

  private static byte[] bytes(ElfBytes file, Note note) {
    ElfBytes content = file.with(note.content());
    byte[] bytes = new byte[(int) content.size()];
    content.copy(0, bytes, bytes.length);
    return bytes;
  }

  private static String owner(ElfBytes bytes, long at, long size) {
    if (size > MAX_OWNER) {
      throw new ElfException(bytes.what() + ": a note's owner of " + size + " bytes");
    }
    byte[] owner = new byte[(int) size];
    bytes.copy(at + HEADER_SIZE, owner, owner.length);
    int length = 0;
    while (length < owner.length && owner[length] != 0) {
      length++;
    }
    return new String(owner, 0, length, StandardCharsets.UTF_8);
  }

  private static long padded(long size, long padding) {
    return (size + padding - 1) & -padding;
  }
}
