package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code .BTF.ext} says about instructions, by the section that they are in: which function
 * type starts where, which source line they come from, what CO-RE has to change. Instruction
 * offsets are in bytes from the section's start.
 *
 * <pre>
 * header: 0 magic, version, flags   4 header length   8 func_info offset, length
 *        16 line_info offset, length   24 core_relo offset, length
 * each:   record size, then { section name, count, records… }…
 * </pre>
 */
public final class BtfExt {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int MAGIC = 0xeb9f;

  /** A function's type at the instruction that it starts with. */
  public record FuncInfo(int byteOffset, int type) {}

  /** The source of an instruction: file and line text in the strings, line and column packed. */
  public record LineInfo(int byteOffset, int fileName, int lineText, int lineAndColumn) {
    public int line() {
      return lineAndColumn >>> 10;
    }
  }

  private final Map<String, List<FuncInfo>> functions = new HashMap<>();
  private final Map<String, List<LineInfo>> lines = new HashMap<>();
  private final Map<String, List<CoreRelocation>> relocations = new HashMap<>();

  private interface RecordReader {
    void read(String section, MemorySegment record);
  }

  private BtfExt() {}

  /** An object without {@code .BTF.ext} says nothing. */
  public static BtfExt none() {
    return new BtfExt();
  }

  /** Reads the section; names are in the object's BTF. */
  public static BtfExt of(MemorySegment blob, Btf btf) {
    BtfExt ext = new BtfExt();
    if (blob.byteSize() < 24) {
      throw new BpfException(".BTF.ext: " + blob.byteSize() + " bytes are too few");
    }
    if ((blob.get(INT, 0) & 0xffff) != MAGIC || blob.get(ValueLayout.JAVA_BYTE, 2) != 1) {
      throw new BpfException(".BTF.ext: neither magic nor version is known");
    }
    long header = Integer.toUnsignedLong(blob.get(INT, 4));
    int fields = (int) Math.min(header, blob.byteSize());
    read(
        part(blob, header, 8, fields, "func_info"),
        8,
        btf,
        (section, r) ->
            list(ext.functions, section).add(new FuncInfo(r.get(INT, 0), r.get(INT, 4))));
    read(
        part(blob, header, 16, fields, "line_info"),
        16,
        btf,
        (section, r) ->
            list(ext.lines, section)
                .add(new LineInfo(r.get(INT, 0), r.get(INT, 4), r.get(INT, 8), r.get(INT, 12))));
    read(
        part(blob, header, 24, fields, "core_relo"),
        16,
        btf,
        (section, r) ->
            list(ext.relocations, section)
                .add(
                    CoreRelocation.of(
                        r.get(INT, 0), r.get(INT, 4), btf.string(r.get(INT, 8)), r.get(INT, 12))));
    return ext;
  }

  private static <T> List<T> list(Map<String, List<T>> map, String section) {
    return map.computeIfAbsent(section, s -> new ArrayList<>());
  }

  private static MemorySegment part(
      MemorySegment blob, long header, int field, int fields, String what) {
    if (field + 8 > fields) {
      return MemorySegment.NULL;
    }
    long from = header + Integer.toUnsignedLong(blob.get(INT, field));
    long size = Integer.toUnsignedLong(blob.get(INT, field + 4));
    if (from + size > blob.byteSize()) {
      throw new BpfException(
          ".BTF.ext: " + what + " ends at " + (from + size) + " of " + blob.byteSize() + " bytes");
    }
    return blob.asSlice(from, size);
  }

  private static void read(MemorySegment part, int atLeast, Btf btf, RecordReader reader) {
    if (part.byteSize() == 0) {
      return;
    }
    long end = part.byteSize();
    long recordSize = end < 4 ? 0 : Integer.toUnsignedLong(part.get(INT, 0));
    if (recordSize < atLeast || recordSize % 4 != 0) {
      throw new BpfException(".BTF.ext: records of " + recordSize + " bytes, not " + atLeast);
    }
    long at = 4;
    while (at < end) {
      if (end - at < 8) {
        throw new BpfException(".BTF.ext: a section's header is cut off");
      }
      String section = btf.string(part.get(INT, at));
      long count = Integer.toUnsignedLong(part.get(INT, at + 4));
      at += 8;
      if (count > (end - at) / recordSize) {
        throw new BpfException(".BTF.ext: " + count + " records of " + section + " are cut off");
      }
      for (long i = 0; i < count; i++, at += recordSize) {
        reader.read(section, part.asSlice(at, recordSize));
      }
    }
  }

  public List<FuncInfo> functions(String section) {
    return functions.getOrDefault(section, List.of());
  }

  public List<LineInfo> lines(String section) {
    return lines.getOrDefault(section, List.of());
  }

  public List<CoreRelocation> relocations(String section) {
    return relocations.getOrDefault(section, List.of());
  }
}
