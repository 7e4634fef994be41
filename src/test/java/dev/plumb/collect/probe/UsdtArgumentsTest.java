package dev.plumb.collect.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.probe.Argument.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UsdtArgumentsTest {
  private static final int NONE = Argument.NO_REGISTER;

  private final UsdtArguments x86 =
      new UsdtArguments(
          false, name -> name.equals("counter") ? Optional.of(0x100L) : Optional.empty());
  private final UsdtArguments arm = new UsdtArguments(true, name -> Optional.empty());

  @Test
  void registersConstantsMemory() {
    List<Argument> all =
        x86.parse("-4@%edi 8@-16(%rbp) 4@$5 -8@$-7 8@counter(%rip) 8@8+counter(%rip) 1@%al 2@%r8w");
    assertThat(all)
        .containsExactly(
            new Argument("arg0", Kind.REGISTER, 0, 112, NONE, 0, 4, true),
            new Argument("arg1", Kind.MEMORY, -16, 32, NONE, 0, 8, false),
            new Argument("arg2", Kind.CONSTANT, 5, 0, NONE, 0, 4, false),
            new Argument("arg3", Kind.CONSTANT, -7, 0, NONE, 0, 8, true),
            new Argument("arg4", Kind.MEMORY, 0x100, 128, NONE, 0, 8, false),
            new Argument("arg5", Kind.MEMORY, 0x108, 128, NONE, 0, 8, false),
            new Argument("arg6", Kind.REGISTER, 0, 80, NONE, 0, 1, false),
            new Argument("arg7", Kind.REGISTER, 0, 72, NONE, 0, 2, false));
  }

  @Test
  void indexAndScale() {
    assertThat(x86.parse("8@(%rax,%rbx,8) 4@-4(%rsp,%r12) 8@(%rax)"))
        .containsExactly(
            new Argument("arg0", Kind.MEMORY, 0, 80, 40, 3, 8, false),
            new Argument("arg1", Kind.MEMORY, -4, 152, 24, 0, 4, false),
            new Argument("arg2", Kind.MEMORY, 0, 80, NONE, 0, 8, false));
  }

  /** What cannot be read keeps its place. */
  @Test
  void unknownOnesStay() {
    List<Argument> all = x86.parse("8f@%xmm0 8@nowhere(%rip) 3@%eax -4@%edi 8@%zzz");
    assertThat(all)
        .extracting(Argument::kind)
        .containsExactly(Kind.NONE, Kind.NONE, Kind.NONE, Kind.REGISTER, Kind.NONE);
    assertThat(x86.parse("")).isEmpty();
  }

  @Test
  void arm() {
    assertThat(arm.parse("-4@w0 8@x30 8@[sp, 16] 8@[x1] 4@5 -4@-3 8@[x2, -8] 8@sp"))
        .containsExactly(
            new Argument("arg0", Kind.REGISTER, 0, 0, NONE, 0, 4, true),
            new Argument("arg1", Kind.REGISTER, 0, 240, NONE, 0, 8, false),
            new Argument("arg2", Kind.MEMORY, 16, 248, NONE, 0, 8, false),
            new Argument("arg3", Kind.MEMORY, 0, 8, NONE, 0, 8, false),
            new Argument("arg4", Kind.CONSTANT, 5, 0, NONE, 0, 4, false),
            new Argument("arg5", Kind.CONSTANT, -3, 0, NONE, 0, 4, true),
            new Argument("arg6", Kind.MEMORY, -8, 16, NONE, 0, 8, false),
            new Argument("arg7", Kind.REGISTER, 0, 248, NONE, 0, 8, false));
  }

  @Test
  void anyTextIsRead() {
    Random random = new Random(3);
    String letters = "-48@%()$,raxbpi1+[]sw cf";
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(40); n > 0; n--) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      assertThat(x86.parse(text.toString()).size()).isLessThanOrEqualTo(12);
      assertThat(arm.parse(text.toString()).size()).isLessThanOrEqualTo(12);
    }
    assertThat(x86.parse("(".repeat(1 << 20))).isEmpty();
  }
}
