package dev.plumb.cli.inspect;

import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.collect.stop.ProcessStacks;
import dev.plumb.collect.stop.ThreadStack;
import dev.plumb.collect.stop.ThreadStack.Place;
import dev.plumb.export.wire.Json;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Writes stacks as text or as JSON. */
final class StackPrinter {
  private final PrintStream out;
  private final Colours colours;

  StackPrinter(PrintStream out, Colours colours) {
    this.out = out;
    this.colours = colours;
  }

  void print(ProcessStacks stacks) {
    for (ThreadStack thread : stacks.threads()) {
      print(thread);
      out.println();
    }
    stacks.notes().forEach(note -> out.println(colours.warn("note: " + SafeText.line(note))));
    out.println(
        "%d %s of process %d (%s); stopped for %s ms in all"
            .formatted(
                stacks.threads().size(),
                stacks.threads().size() == 1 ? "thread" : "threads",
                stacks.pid(),
                ShownNames.clean(stacks.comm()),
                millis(stacks.stoppedNanos())));
  }

  private void print(ThreadStack thread) {
    out.println(
        colours.bold(
            "%d %s (%s, %s)"
                .formatted(
                    thread.tid(),
                    ShownNames.clean(thread.comm()),
                    thread.state(),
                    thread.doing())));
    int number = 0;
    for (Place place : thread.places()) {
      out.println(line(number++, place));
    }
    if (!thread.problem().isEmpty()) {
      out.println(
          "  "
              + colours.warn(
                  (thread.places().isEmpty() ? "no stack: " : "incomplete: ") + thread.problem()));
    }
  }

  private String line(int number, Place place) {
    Frame frame = place.frame();
    StringBuilder line = new StringBuilder("  %-4s ".formatted("#" + number));
    line.append(ShownNames.clean(frame.name()));
    if (frame.inlined()) {
      line.append(" [inlined]");
    } else if (frame.named()) {
      line.append("+0x").append(Long.toHexString(place.offset()));
    }
    if (!frame.module().isEmpty()) {
      String module = ShownNames.file(frame.module());
      line.append(' ').append(colours.soft(isKernel(frame) ? module : "(" + module + ")"));
    }
    if (!frame.file().isEmpty()) {
      line.append(' ').append(ShownNames.clean(frame.file()));
      line.append(frame.line() > 0 ? ":" + frame.line() : "");
    }
    return line.toString();
  }

  private static boolean isKernel(Frame frame) {
    return frame.kind() == FrameKind.KERNEL;
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f", nanos / 1e6);
  }

  /** One object, in one line; JSON is UTF-8, whatever the terminal's encoding. */
  void printJson(ProcessStacks stacks) {
    Json json = new Json();
    json.open('{').key("pid").value(stacks.pid()).key("comm").value(stacks.comm());
    json.key("stopped_ms").value(stacks.stoppedNanos() / 1e6);
    json.key("notes").open('[');
    stacks.notes().forEach(json::value);
    json.close(']').key("threads").open('[');
    for (ThreadStack thread : stacks.threads()) {
      json.open('{').key("tid").value(thread.tid()).key("comm").value(thread.comm());
      json.key("state").value(String.valueOf(thread.state())).key("doing").value(thread.doing());
      json.key("problem").value(thread.problem()).key("frames").open('[');
      thread.places().forEach(place -> add(json, place));
      json.close(']').close('}');
    }
    String text = json.close(']').close('}') + "\n";
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void add(Json json, Place place) {
    Frame frame = place.frame();
    json.open('{').key("name").value(frame.name()).key("named").value(frame.named());
    json.key("module").value(frame.module()).key("offset").value(place.offset());
    json.key("address").value("0x" + Long.toHexString(place.processAddress()));
    json.key("file").value(frame.file()).key("line").value(frame.line());
    json.key("inlined").value(frame.inlined()).key("kernel").value(isKernel(frame)).close('}');
  }
}
