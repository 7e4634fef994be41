package dev.plumb.collect.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.options.Filter;
import dev.plumb.collect.probe.Argument;
import dev.plumb.collect.probe.ProbeDetails;
import dev.plumb.collect.probe.ProbeTable;
import dev.plumb.collect.wait.WaitingThreads;
import dev.plumb.elf.ElfFile;
import dev.plumb.profile.StackEnd;
import dev.plumb.testing.Fixtures;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both sides of the border read the same layouts: the numbers in Java against the types that clang
 * wrote to the objects. What an object uses on its stack only is not in its types; those are asked
 * of an object that has a variable of each.
 */
class RecordsTest {
  private static final String ALL_TYPES =
      """
      #include "arguments.h"
      struct cpu_record a_cpu_record;
      struct load_record a_load_record;
      struct sum_key a_sum_key;
      struct sum a_sum;
      struct offcpu_record an_offcpu_record;
      struct copy_record a_copy_record;
      enum argument_kind an_argument_kind;
      enum operator an_operator;
      enum counter a_counter;
      enum record_kind a_record_kind;
      enum stack_end a_stack_end;
      char LICENSE[] SEC("license") = "Dual BSD/GPL";
      """;

  @ParameterizedTest
  @ValueSource(strings = {"x86/cpu", "x86/offcpu", "arm64/cpu", "arm64/offcpu"})
  void stackRecord(String object) {
    Btf types = committed(object);
    assertThat(offsets(types, "stack_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("tgid", Records.STACK_TGID_OFFSET)
        .containsEntry("id", Records.STACK_ID_OFFSET)
        .containsEntry("process", Records.STACK_PROCESS_OFFSET)
        .containsEntry("time", Records.STACK_TIME_OFFSET)
        .containsEntry("kernel_frames", Records.STACK_KERNEL_FRAMES_OFFSET)
        .containsEntry("user_frames", Records.STACK_USER_FRAMES_OFFSET)
        .containsEntry("end", Records.STACK_END_OFFSET)
        .containsEntry("(size)", Records.STACK_ADDRESSES_OFFSET)
        .as("each member is read or is padding")
        .hasSize(10);
    assertThat(offsets(types, "scratch")).containsEntry("frames", Records.STACK_ADDRESSES_OFFSET);
    int frames = types.find("scratch", BtfKind.STRUCT);
    assertThat(types.arrayLength(types.memberType(frames, 1)))
        .isEqualTo(Records.MAX_KERNEL_FRAMES + Records.MAX_USER_FRAMES);
  }

  /** OffCpuCollector reads this map's values when recording ends. */
  @ParameterizedTest
  @ValueSource(strings = {"x86/offcpu", "arm64/offcpu"})
  void waits(String object) {
    assertThat(offsets(committed(object), "wait"))
        .containsEntry("since", 0)
        .containsEntry("stack", 8)
        .containsEntry("waker_stack", 16)
        .containsEntry("state", 24)
        .containsEntry("waker_tgid", 28)
        .containsEntry("waker_tid", 32);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x86/offcpu", "arm64/offcpu"})
  void waitingRecord(String object) {
    Btf types = committed(object);
    assertThat(offsets(types, "waiting_record"))
        .containsEntry("stack", 0)
        .containsEntry("process", 8)
        .containsEntry("since", 16)
        .containsEntry("tgid", 24)
        .containsEntry("tid", 28)
        .containsEntry("state", 32)
        .containsEntry("kernel_frames", 36)
        .containsEntry("user", 40)
        .containsEntry("frames", WaitingThreads.FRAMES)
        .containsEntry("(size)", WaitingThreads.SIZE);
    assertThat(offsets(types, "user_registers"))
        .containsEntry("pc", 0)
        .containsEntry("sp", 8)
        .containsEntry("fp", 16)
        .containsEntry("bx", 24)
        .containsEntry("narrow", 32);
  }

  @Test
  void cpuRecord() {
    assertThat(offsets(compiled(), "cpu_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("cpu", Records.CPU_OFFSET)
        .containsEntry("time", Records.TIME_OFFSET)
        .containsEntry("tgid", Records.TGID_OFFSET)
        .containsEntry("tid", Records.TID_OFFSET)
        .containsEntry("stack", Records.STACK_OFFSET)
        .containsEntry("(size)", Records.CPU_SIZE)
        .hasSize(7);
  }

  @Test
  void loadRecord() {
    assertThat(offsets(compiled(), "load_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("cpu", Records.CPU_OFFSET)
        .containsEntry("time", Records.TIME_OFFSET)
        .containsEntry("tgid", Records.TGID_OFFSET)
        .containsEntry("tid", Records.TID_OFFSET)
        .containsEntry("stack", Records.STACK_OFFSET)
        .containsEntry("length", Records.LENGTH_OFFSET)
        .hasSize(8);
  }

  @Test
  void offCpuRecord() {
    assertThat(offsets(compiled(), "offcpu_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("cpu", Records.CPU_OFFSET)
        .containsEntry("time", Records.TIME_OFFSET)
        .containsEntry("tgid", Records.TGID_OFFSET)
        .containsEntry("tid", Records.TID_OFFSET)
        .containsEntry("stack", Records.STACK_OFFSET)
        .containsEntry("duration", Records.DURATION_OFFSET)
        .containsEntry("state", Records.STATE_OFFSET)
        .containsEntry("waker_tgid", Records.WAKER_TGID_OFFSET)
        .containsEntry("waker_tid", Records.WAKER_TID_OFFSET)
        .containsEntry("waker_stack", Records.WAKER_STACK_OFFSET)
        .containsEntry("(size)", Records.OFFCPU_SIZE);
  }

  @Test
  void recordKinds() {
    assertThat(enumerators(compiled(), "record_kind"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("RECORD_STACK", (long) Records.STACK),
                Map.entry("RECORD_CPU", (long) Records.CPU),
                Map.entry("RECORD_OFFCPU", (long) Records.OFFCPU),
                Map.entry("RECORD_COPY", (long) Records.COPY),
                Map.entry("RECORD_RUNQ", (long) Records.RUNQ),
                Map.entry("RECORD_LOCK", (long) Records.LOCK),
                Map.entry("RECORD_MEM", (long) Records.MEM),
                Map.entry("RECORD_IO", (long) Records.IO),
                Map.entry("RECORD_READAHEAD", (long) Records.READAHEAD),
                Map.entry("RECORD_PROBE", (long) Records.PROBE),
                Map.entry("RECORD_BLOCK", (long) Records.BLOCK),
                Map.entry("RECORD_FAULT", (long) Records.FAULT),
                Map.entry("RECORD_FORKS", (long) Records.FORKS),
                Map.entry("RECORD_LOAD", (long) Records.LOAD),
                Map.entry("RECORD_CACHE", (long) Records.CACHE),
                Map.entry("RECORD_LIGHT", (long) Records.LIGHT),
                Map.entry("RECORD_KMEM", (long) Records.KMEM)));
  }

  @Test
  void sums() {
    assertThat(offsets(compiled(), "sum_key"))
        .containsEntry("stack", 0)
        .containsEntry("detail", Records.SUM_DETAIL_OFFSET)
        .containsEntry("tid", Records.SUM_TID_OFFSET)
        .containsEntry("kind", Records.SUM_KIND_OFFSET)
        .containsEntry("(size)", Records.SUM_KEY_SIZE);
    assertThat(offsets(compiled(), "sum"))
        .containsEntry("count", 0)
        .containsEntry("value", 8)
        .containsEntry("extra", 16)
        .containsEntry("(size)", Records.SUM_SIZE);
  }

  /** What ProbeTable writes and ProbeCollector and ProbeDetails read. */
  @ParameterizedTest
  @ValueSource(strings = {"x86/probe", "arm64/probe"})
  void probes(String object) {
    Btf types = committed(object);
    assertThat(offsets(types, "plan"))
        .containsEntry("arguments", 0)
        .containsEntry("labels", 4)
        .containsEntry("tests", 8)
        .containsEntry("argument", 16)
        .containsEntry("test", 144)
        .containsEntry("(size)", ProbeTable.PLAN_SIZE);
    assertThat(offsets(types, "argument"))
        .isEqualTo(
            Map.of(
                "value",
                0,
                "base",
                8,
                "index",
                10,
                "kind",
                12,
                "shift",
                13,
                "size",
                14,
                "is_signed",
                15,
                "(size)",
                Argument.STRUCT_SIZE));
    assertThat(offsets(types, "test"))
        .containsEntry("value", 0)
        .containsEntry("argument", 8)
        .containsEntry("operator", 9)
        .containsEntry("on_true", 10)
        .containsEntry("on_false", 11)
        .containsEntry("is_signed", 12)
        .containsEntry("text_bytes", 13)
        .containsEntry("text", 16)
        .containsEntry("(size)", 48);
    assertThat(offsets(types, "detail_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("probe", 4)
        .containsEntry("time", Records.TIME_OFFSET)
        .containsEntry("detail", 16)
        .containsEntry("values", 24)
        .containsEntry("(size)", ProbeDetails.RECORD_SIZE);
    assertThat(offsets(types, "call"))
        .containsEntry("since", 0)
        .containsEntry("stack", 8)
        .containsEntry("detail", 16)
        .containsEntry("tid", 24)
        .containsEntry("tgid", 28);
  }

  @Test
  void probesArgumentsAndOperators() {
    Map<String, Long> kinds = new LinkedHashMap<>();
    for (Argument.Kind kind : Argument.Kind.values()) {
      kinds.put("ARGUMENT_" + kind.name(), (long) kind.ordinal());
    }
    assertThat(enumerators(compiled(), "argument_kind")).isEqualTo(kinds);
    Map<String, Long> operators = new LinkedHashMap<>();
    for (Filter.Operator operator : Filter.Operator.values()) {
      operators.put("OPERATOR_" + operator.name(), (long) operator.ordinal());
    }
    assertThat(enumerators(compiled(), "operator")).isEqualTo(operators);
  }

  @Test
  void counters() {
    Map<String, Long> expected = new LinkedHashMap<>();
    for (Counter counter : Counter.values()) {
      expected.put("COUNT_" + counter.name(), (long) counter.ordinal());
    }
    expected.put("COUNTERS", (long) Counter.values().length);
    assertThat(enumerators(compiled(), "counter")).isEqualTo(expected);
  }

  @Test
  void copyRecord() {
    assertThat(offsets(compiled(), "copy_record"))
        .containsEntry("kind", Records.KIND_OFFSET)
        .containsEntry("tgid", Records.STACK_TGID_OFFSET)
        .containsEntry("id", Records.STACK_ID_OFFSET)
        .containsEntry("process", Records.STACK_PROCESS_OFFSET)
        .containsEntry("time", Records.STACK_TIME_OFFSET)
        .containsEntry("kernel_frames", Records.STACK_KERNEL_FRAMES_OFFSET)
        .containsEntry("bytes", Records.COPY_BYTES_OFFSET)
        .containsEntry("pc", Records.COPY_PC_OFFSET)
        .containsEntry("sp", Records.COPY_SP_OFFSET)
        .containsEntry("fp", Records.COPY_FP_OFFSET)
        .containsEntry("bx", Records.COPY_BX_OFFSET)
        .containsEntry("cx", Records.COPY_CX_OFFSET)
        .containsEntry("di", Records.COPY_DI_OFFSET)
        .containsEntry("ax", Records.COPY_AX_OFFSET)
        .containsEntry("absent", Records.COPY_ABSENT_OFFSET)
        .containsEntry("frames", Records.COPY_KERNEL_OFFSET)
        .containsEntry("(size)", Records.COPY_STACK_OFFSET);
  }

  @Test
  void stackEnds() {
    Map<String, Long> ends = enumerators(compiled(), "stack_end");
    assertThat(ends).hasSize(StackEnd.values().length);
    ends.forEach(
        (name, value) ->
            assertThat("END_" + StackEnd.values()[value.intValue()].name()).isEqualTo(name));
  }

  private static Btf committed(String object) {
    return types(Path.of("src/main/resources/bpf", object + ".o"));
  }

  private static Btf compiled() {
    return types(
        Fixtures.clang(
            "records.bpf.o",
            ALL_TYPES,
            "-target",
            "bpf",
            "-g",
            "-O2",
            "-D__TARGET_ARCH_x86",
            "-I" + Path.of("src/main/bpf").toAbsolutePath(),
            "-idirafter",
            "/usr/include",
            "-c"));
  }

  private static Btf types(Path object) {
    try (ElfFile elf = ElfFile.open(object)) {
      return CollectionSpec.of(elf).types();
    }
  }

  /** Where each member lies, in bytes, and the size of it all as {@code (size)}. */
  private static Map<String, Integer> offsets(Btf types, String struct) {
    int id = types.find(struct, BtfKind.STRUCT);
    assertThat(id).as(struct).isPositive();
    Map<String, Integer> offsets = new LinkedHashMap<>();
    for (int i = 0; i < types.length(id); i++) {
      offsets.put(types.string(types.memberName(id, i)), types.memberBitOffset(id, i) / Byte.SIZE);
    }
    offsets.put("(size)", types.statedSize(id));
    return offsets;
  }

  private static Map<String, Long> enumerators(Btf types, String name) {
    int id = types.find(name, BtfKind.ENUM);
    assertThat(id).as(name).isPositive();
    Map<String, Long> values = new LinkedHashMap<>();
    for (int i = 0; i < types.length(id); i++) {
      values.put(types.string(types.enumeratorName(id, i)), types.enumeratorValue(id, i));
    }
    return values;
  }
}
