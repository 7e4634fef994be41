package dev.plumb.linux.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.kernel.TracepointFormat.Field;
import dev.plumb.linux.kernel.TracepointFormat.Kind;
import dev.plumb.testing.RequiresRoot;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TracepointFormatTest {
  private static final String FORMAT =
      """
      name: something
      ID: 314
      format:
      \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
      \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

      \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
      \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
      \tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;
      \tfield:const char * filename;\toffset:32;\tsize:8;\tsigned:0;
      \tfield:__data_loc unsigned long[] mask;\toffset:40;\tsize:4;\tsigned:0;
      \tfield:u64 words[4];\toffset:48;\tsize:32;\tsigned:0;
      \tfield:struct task_struct * task;\toffset:80;\tsize:8;\tsigned:0;

      print fmt: "prev_comm=%s", REC->prev_comm
      """;

  @Test
  void fields() {
    TracepointFormat format = TracepointFormat.parse(FORMAT);
    assertThat(format.fields()).hasSize(9);
    assertThat(format.own())
        .containsExactly(
            new Field("prev_comm", "char [16]", 8, 16, false, Kind.TEXT),
            new Field("prev_pid", "pid_t", 24, 4, true, Kind.NUMBER),
            new Field("name", "__data_loc char[]", 28, 4, false, Kind.DYNAMIC_TEXT),
            new Field("filename", "const char *", 32, 8, false, Kind.USER_TEXT),
            new Field("mask", "__data_loc unsigned long[]", 40, 4, false, Kind.OTHER),
            new Field("words", "u64 [4]", 48, 32, false, Kind.OTHER),
            new Field("task", "struct task_struct *", 80, 8, false, Kind.NUMBER));
    assertThat(format.field("prev_pid")).isPresent();
    assertThat(format.field("nobody")).isEmpty();
  }

  /** Every line of every tracepoint of this kernel that says it is a field is read as one. */
  @Test
  @RequiresRoot
  void allOfThisKernel() {
    int formats = 0;
    try (Tracefs tracefs = Tracefs.open()) {
      for (String category : tracefs.categories()) {
        for (String name : tracefs.events(category)) {
          String text = tracefs.format(category, name).orElse("");
          long lines = text.lines().filter(line -> line.contains("field:")).count();
          assertThat(TracepointFormat.parse(text).fields().size())
              .as(category + ":" + name)
              .isEqualTo((int) Math.min(lines, 128));
          formats++;
        }
      }
    }
    assertThat(formats).isGreaterThan(100);
  }

  @Test
  void damagedFormatsAreRead() {
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      StringBuilder text = new StringBuilder(FORMAT);
      for (int n = random.nextInt(20); n >= 0; n--) {
        text.setCharAt(random.nextInt(text.length()), (char) (random.nextInt(96) + 32));
      }
      assertThat(TracepointFormat.parse(text.toString()).fields().size()).isLessThan(20);
    }
    assertThat(TracepointFormat.parse("field:" + "a ".repeat(1 << 20)).fields()).isEmpty();
  }
}
