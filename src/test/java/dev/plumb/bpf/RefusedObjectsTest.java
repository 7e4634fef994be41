package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.SourceLines;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be loaded is refused with the one thing that its author needs to know. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class RefusedObjectsTest {
  private static final LoadOptions OPTIONS = LoadOptions.of(KernelTypes.running());

  @BeforeAll
  static void root() {
    Root.isNeeded();
  }

  private static void load(String program) {
    CollectionSpec spec = TestObjects.spec("refused");
    spec.program(program).autoload(true);
    Collection.load(spec, OPTIONS).close();
  }

  @Test
  void theVerifiersTellingLineAndTheSourceLine() {
    VerifierException e = catchThrowableOfType(VerifierException.class, () -> load("unchecked"));
    assertThat(e)
        .hasMessageContaining("program unchecked: ")
        .hasMessageMatching(".*R0 invalid mem access '(scalar|inv)' \\(EACCES\\).*")
        .hasMessageContaining("return *pointer;");
    assertThat(e.log()).contains("processed ").contains("call bpf_get_current_task");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          missing_field      | struct task_struct.no_such_field | refused.bpf.c:
          missing_struct     | struct no_such_struct.middle[2].inner | middle[2].inner
          missing_load       | struct task_struct.also_missing | return prev->also_missing
          missing_value      | enum bpf_no_such_enum.NO_SUCH_VALUE | NO_SUCH_VALUE
          missing_function   | kernel function bpf_no_such_function | bpf_no_such_function(1)
          """)
  void whatTheKernelDoesNotHaveIsNamed(String program, String what, String source) {
    assertThatThrownBy(() -> load(program))
        .isInstanceOf(VerifierException.class)
        .hasMessageContaining("this kernel does not have " + what)
        .hasMessageContaining(source);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unknown_kind       | section "xdp" does not name a kind of program
          missing_tracepoint | this kernel has no tp_btf no_such_tracepoint
          no_target          | section "fentry" does not say what for
          """)
  void sectionsThatSayTooLittle(String program, String message) {
    assertThatThrownBy(() -> load(program))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("program " + program)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CONFIG            | does not set CONFIG_NO_SUCH_THING
          CONFIG_TYPE       | does not fit int _Bool
          SYMBOL            | no symbol named no_such_symbol
          VARIABLE          | no variable in its types named no_such_variable
          FUNCTION          | no function in its types named bpf_no_such_function
          FUNCTION_TYPE     | schedule is func_proto
          PINNED            | map pinned wants to be pinned
          UNKNOWN_ATTRIBUTE | map odd: the attribute colour is not known
          POINTER_IN_DATA   | .data holds a pointer
          UNDECLARED        | undefined symbol plain_extern
          """)
  void externsAndDefinitions(String option, String message) {
    assertThatThrownBy(
            () -> Collection.load(TestObjects.spec("refused_externs", "-D" + option), OPTIONS))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining(message);
  }

  @Test
  void mapsThatTheKernelRefusesAreDescribed() {
    CollectionSpec spec = TestObjects.spec("mapuse");
    spec.map("hash").keySize(0);
    assertThatThrownBy(() -> Collection.load(spec, OPTIONS))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("map hash, type 1, key 0, value 8, entries 5000")
        .hasMessageContaining("EINVAL");
  }

  @Test
  void theLogIsThereForWhoeverAsks() {
    List<String> logs = new ArrayList<>();
    try (Collection collection =
        Collection.load(TestObjects.spec("mapuse"), OPTIONS.verbose(logs::add))) {
      assertThat(logs).hasSize(1);
      assertThat(logs.getFirst()).contains("processed ").contains("bpf_seq_write(ctx->meta->seq");
      assertThat(collection.program("each").log()).isEqualTo(logs.getFirst());
    }
  }

  @Test
  void tellingLinesAreFound() {
    String log =
        """
        0: R1=ctx() R10=fp0
        ; int x = *p; @ a.c:3
        5: (61) r0 = *(u32 *)(r0 +0)
        R0 invalid mem access 'scalar'
        processed 6 insns (limit 1000000) max_states_per_insn 0 total_states 0
        """;
    assertThat(VerifierLog.tellingLine(log)).isEqualTo("R0 invalid mem access 'scalar'");
    assertThat(VerifierLog.source(log, SourceLines.unknown())).contains("\"int x = *p; @ a.c:3\"");
    assertThat(VerifierLog.tellingLine("")).isEmpty();
    assertThat(VerifierLog.source("", SourceLines.unknown())).isEmpty();
  }
}
