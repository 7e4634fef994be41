package dev.plumb.bpf;

import static dev.plumb.linux.KernelField.text;
import static dev.plumb.linux.KernelField.u32;
import static dev.plumb.linux.KernelField.u64;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.linux.Fd;
import dev.plumb.linux.KernelField;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The argument of bpf(2), {@code union bpf_attr}: one member for each group of commands, here one
 * nested class with the fields that Plumb uses. {@code BpfAttrTest} compares all of them with the
 * running kernel's types.
 *
 * <p>The union may be longer than a kernel knows, as long as the rest is zero.
 */
final class BpfAttr {
  static final int SIZE = 160;
  static final int NAME_SIZE = 16; // BPF_OBJ_NAME_LEN

  /** MAP_CREATE. */
  static final class MapCreate {
    static final KernelField TYPE = u32("map_type", 0);
    static final KernelField KEY_SIZE = u32("key_size", 4);
    static final KernelField VALUE_SIZE = u32("value_size", 8);
    static final KernelField MAX_ENTRIES = u32("max_entries", 12);
    static final KernelField FLAGS = u32("map_flags", 16);
    static final KernelField INNER_FD = u32("inner_map_fd", 20);
    static final KernelField NUMA_NODE = u32("numa_node", 24);
    static final KernelField NAME = text("map_name", 28, NAME_SIZE);
    static final KernelField BTF_FD = u32("btf_fd", 48);
    static final KernelField KEY_TYPE = u32("btf_key_type_id", 52);
    static final KernelField VALUE_TYPE = u32("btf_value_type_id", 56);
    static final KernelField EXTRA = u64("map_extra", 64); // since 5.16

    private MapCreate() {}
  }

  /** MAP_LOOKUP_ELEM, _UPDATE_ELEM, _DELETE_ELEM, _GET_NEXT_KEY, _FREEZE. */
  static final class MapElement {
    static final KernelField MAP_FD = u32("map_fd", 0);
    static final KernelField KEY = u64("key", 8);
    static final KernelField VALUE = u64("value", 16);
    static final KernelField FLAGS = u64("flags", 24);

    private MapElement() {}
  }

  /** MAP_LOOKUP_BATCH, MAP_LOOKUP_AND_DELETE_BATCH. */
  static final class Batch {
    static final KernelField IN = u64("batch.in_batch", 0);
    static final KernelField OUT = u64("batch.out_batch", 8);
    static final KernelField KEYS = u64("batch.keys", 16);
    static final KernelField VALUES = u64("batch.values", 24);
    static final KernelField COUNT = u32("batch.count", 32);
    static final KernelField MAP_FD = u32("batch.map_fd", 36);

    private Batch() {}
  }

  /** PROG_LOAD. */
  static final class ProgramLoading {
    static final KernelField TYPE = u32("prog_type", 0);
    static final KernelField INSTRUCTION_COUNT = u32("insn_cnt", 4);
    static final KernelField INSTRUCTIONS = u64("insns", 8);
    static final KernelField LICENSE = u64("license", 16);
    static final KernelField LOG_LEVEL = u32("log_level", 24);
    static final KernelField LOG_SIZE = u32("log_size", 28);
    static final KernelField LOG = u64("log_buf", 32);
    static final KernelField KERNEL_VERSION = u32("kern_version", 40);
    static final KernelField FLAGS = u32("prog_flags", 44);
    static final KernelField NAME = text("prog_name", 48, NAME_SIZE);
    static final KernelField ATTACH_TYPE = u32("expected_attach_type", 68);
    static final KernelField BTF_FD = u32("prog_btf_fd", 72);
    static final KernelField FUNCTION_INFO_SIZE = u32("func_info_rec_size", 76);
    static final KernelField FUNCTION_INFO = u64("func_info", 80);
    static final KernelField FUNCTION_INFO_COUNT = u32("func_info_cnt", 88);
    static final KernelField LINE_INFO_SIZE = u32("line_info_rec_size", 92);
    static final KernelField LINE_INFO = u64("line_info", 96);
    static final KernelField LINE_INFO_COUNT = u32("line_info_cnt", 104);
    static final KernelField ATTACH_BTF_ID = u32("attach_btf_id", 108);
    static final KernelField ATTACH_BTF_FD = u32("attach_btf_obj_fd", 112);
    static final KernelField FD_ARRAY = u64("fd_array", 120); // since 5.14

    private ProgramLoading() {}
  }

  /** PROG_TEST_RUN. */
  static final class TestRun {
    static final KernelField PROGRAM_FD = u32("test.prog_fd", 0);
    static final KernelField RESULT = u32("test.retval", 4);
    static final KernelField CONTEXT_SIZE = u32("test.ctx_size_in", 40);
    static final KernelField CONTEXT = u64("test.ctx_in", 48);

    private TestRun() {}
  }

  /** OBJ_GET_INFO_BY_FD. */
  static final class ObjectInfo {
    static final KernelField FD = u32("info.bpf_fd", 0);
    static final KernelField LENGTH = u32("info.info_len", 4);
    static final KernelField INFO = u64("info.info", 8);

    private ObjectInfo() {}
  }

  /** RAW_TRACEPOINT_OPEN. */
  static final class RawTracepoint {
    static final KernelField NAME = u64("raw_tracepoint.name", 0);
    static final KernelField PROGRAM_FD = u32("raw_tracepoint.prog_fd", 8);

    private RawTracepoint() {}
  }

  /** BTF_LOAD. */
  static final class BtfLoad {
    static final KernelField BTF = u64("btf", 0);
    static final KernelField LOG = u64("btf_log_buf", 8);
    static final KernelField SIZE = u32("btf_size", 16);
    static final KernelField LOG_SIZE = u32("btf_log_size", 20);
    static final KernelField LOG_LEVEL = u32("btf_log_level", 24);

    private BtfLoad() {}
  }

  /** BTF_GET_FD_BY_ID, MAP_GET_FD_BY_ID, BTF_GET_NEXT_ID. */
  static final class ObjectId {
    static final KernelField START_ID = u32("start_id", 0);
    static final KernelField MAP_ID = u32("map_id", 0);
    static final KernelField BTF_ID = u32("btf_id", 0);
    static final KernelField NEXT_ID = u32("next_id", 4);

    private ObjectId() {}
  }

  /** OBJ_GET. */
  static final class Pinned {
    static final KernelField PATH = u64("pathname", 0);

    private Pinned() {}
  }

  /** LINK_CREATE. */
  static final class LinkCreate {
    static final KernelField PROGRAM_FD = u32("link_create.prog_fd", 0);
    static final KernelField TARGET_FD = u32("link_create.target_fd", 4);
    static final KernelField ATTACH_TYPE = u32("link_create.attach_type", 8);
    static final KernelField ITERATOR_INFO = u64("link_create.iter_info", 16);
    static final KernelField ITERATOR_INFO_SIZE = u32("link_create.iter_info_len", 24);
    static final KernelField PERF_EVENT_COOKIE = u64("link_create.perf_event.bpf_cookie", 16);
    static final KernelField KPROBE_FLAGS = u32("link_create.kprobe_multi.flags", 16);
    static final KernelField KPROBE_COUNT = u32("link_create.kprobe_multi.cnt", 20);
    static final KernelField KPROBE_SYMBOLS = u64("link_create.kprobe_multi.syms", 24);
    static final KernelField UPROBE_PATH = u64("link_create.uprobe_multi.path", 16);
    static final KernelField UPROBE_OFFSETS = u64("link_create.uprobe_multi.offsets", 24);
    static final KernelField UPROBE_SEMAPHORES =
        u64("link_create.uprobe_multi.ref_ctr_offsets", 32);
    static final KernelField UPROBE_COOKIES = u64("link_create.uprobe_multi.cookies", 40);
    static final KernelField UPROBE_COUNT = u32("link_create.uprobe_multi.cnt", 48);
    static final KernelField UPROBE_FLAGS = u32("link_create.uprobe_multi.flags", 52);
    static final KernelField UPROBE_PID = u32("link_create.uprobe_multi.pid", 56);

    private LinkCreate() {}
  }

  /** ITER_CREATE. */
  static final class IteratorCreate {
    static final KernelField LINK_FD = u32("iter_create.link_fd", 0);

    private IteratorCreate() {}
  }

  private final MemorySegment union;

  private BpfAttr(MemorySegment union) {
    this.union = union;
  }

  /** All zero. */
  static BpfAttr in(Arena arena) {
    return new BpfAttr(arena.allocate(SIZE, 8));
  }

  BpfAttr put(KernelField field, long value) {
    field.put(union, value);
    return this;
  }

  /** A pointer; null if the segment is empty. */
  BpfAttr put(KernelField field, MemorySegment target) {
    field.put(union, target.byteSize() == 0 ? 0 : target.address());
    return this;
  }

  /** Writes the name of an object. The kernel accepts only letters, digits, '_' and '.' in it. */
  BpfAttr putName(KernelField field, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < Math.min(bytes.length, field.size() - 1); i++) {
      byte c = bytes[i];
      boolean allowed = c == '_' || c == '.' || Character.isLetterOrDigit(c);
      union.set(JAVA_BYTE, field.offset() + i, allowed ? c : (byte) '_');
    }
    return this;
  }

  int number(KernelField field) {
    return (int) field.get(union);
  }

  /** Runs a command of {@link BpfCalls}: its result or -errno. */
  long tryCall(int command) {
    return SystemCalls.tryBpf(command, union);
  }

  /** Runs a command that returns a descriptor; an exception says {@code what} was wanted. */
  Fd open(int command, String what) {
    return new Fd((int) BpfCalls.check(tryCall(command), what));
  }
}
