package dev.plumb.export.plumb;

import dev.plumb.export.wire.VarOut;
import java.util.zip.CRC32C;

/**
 * Layout of a {@code .plumb} file: a head, then blocks. Whole numbers are little endian.
 *
 * <pre>
 *  head
 *   0                               8       10      12
 *  +-------------------------------+-------+-------+
 *  | magic  "PLUMB" CR LF 0x1a     |version|   0   |
 *  +-------------------------------+-------+-------+
 *
 *  block
 *   0   1   2       4               8               12              16
 *  +---+---+-------+---------------+---------------+---------------+----------- … -+
 *  |typ|cod|   0   |  raw length   | stored length |    CRC32C     | payload       |
 *  +---+---+-------+---------------+---------------+---------------+----------- … -+
 * </pre>
 *
 * The checksum is over the block's first twelve bytes and its payload as stored. Codec 0 stores the
 * payload as it is, codec 1 deflated (RFC 1951). Payloads are runs of variable-length numbers
 * ({@link VarOut}); text stands once in STRINGS blocks and is named by its number elsewhere.
 *
 * <pre>
 *  RUN      start, duration (ns), then pairs of text: name, value of a fact
 *  STRINGS  text …
 *  FRAMES   {name, kind &lt;&lt; 2 | named &lt;&lt; 1 | inlined, module, build id, address, offset, file, line} …
 *  STACKS   {depth, end, frame × depth, leaf first} …
 *  THREADS  {pid, tid, inner pid, start, comm, process comm, cgroup} …
 *  LABELS   {count, {name, value} × count} …
 *  PROFILE  mode, name, types, main type, period type, period, quality; rows and times that follow
 *           are of this profile
 *  ROWS     {stack, thread, labels, value × types} …
 *  TIMES    first time, then {time − last, row − last, cpu, value} …
 *  PART     as RUN: what follows came later; its tables and rows are numbered from 0 again
 *  END      nothing: the file is whole
 * </pre>
 *
 * Tables grow: a block's entries follow those of earlier blocks of its type and are numbered from 0
 * over a part. They come before the first row that needs them, so that any run of whole blocks from
 * the start is a recording of fewer rows.
 *
 * <p>A recording that is written while it is taken has parts. A PROFILE of a mode that an earlier
 * part had goes on with that one: rows of the same stack, thread and labels add up.
 */
public final class PlumbFormat {
  public static final byte[] MAGIC = {'P', 'L', 'U', 'M', 'B', '\r', '\n', 0x1a};
  static final int VERSION = 2;

  static final int HEAD_VERSION_OFFSET = 8;
  public static final int HEAD_SIZE = 12;

  public static final int BLOCK_TYPE_OFFSET = 0;
  static final int BLOCK_CODEC_OFFSET = 1;
  public static final int BLOCK_RAW_LENGTH_OFFSET = 4;
  public static final int BLOCK_STORED_LENGTH_OFFSET = 8;
  public static final int BLOCK_CHECKSUM_OFFSET = 12;
  public static final int BLOCK_HEAD_SIZE = 16;

  static final int CODEC_STORED = 0;
  static final int CODEC_DEFLATED = 1;

  static final int RUN = 1;
  static final int STRINGS = 2;
  static final int FRAMES = 3;
  static final int STACKS = 4;
  static final int THREADS = 5;
  static final int LABELS = 6;
  static final int PROFILE = 7;
  static final int ROWS = 8;
  static final int TIMES = 9;
  static final int END = 10;
  static final int PART = 11;

  /** Readers refuse larger blocks; real ones are far smaller. */
  static final int MAX_BLOCK = 1 << 28;

  /** The limit for all table blocks of a file together, inflated. */
  static final long MAX_TABLES = 1L << 31;

  static final int MAX_TYPES = 64;
  static final int MAX_PROFILES = 1024;

  private PlumbFormat() {}

  public static int checksum(byte[] head, byte[] payload, int length) {
    CRC32C crc = new CRC32C();
    crc.update(head, 0, BLOCK_CHECKSUM_OFFSET);
    crc.update(payload, 0, length);
    return (int) crc.getValue();
  }
}
