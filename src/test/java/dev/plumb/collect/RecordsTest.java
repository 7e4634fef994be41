package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.Fixtures;
import dev.plumb.bpf.CollectionSpec;
import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.elf.ElfFile;
import dev.plumb.profile.StackEnd;
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
      #include "plumb.h"
      struct cpu_record a_cpu_record;
      struct offcpu_record an_offcpu_record;
      struct copy_record a_copy_record;
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
            Map.of(
                "RECORD_STACK", (long) Records.STACK,
                "RECORD_CPU", (long) Records.CPU,
                "RECORD_OFFCPU", (long) Records.OFFCPU,
                "RECORD_COPY", (long) Records.COPY));
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
