package dev.plumb.scenario.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.TestJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@code plumb stack --json} says. */
record StackJson(int pid, double stoppedMillis, Map<Integer, Thread> threads) {
  record Frame(String name, String module, String address, boolean kernel, boolean inlined) {}

  record Thread(String state, String doing, String problem, List<Frame> frames) {
    /** The addresses of the user's part, as elfutils has them. */
    List<String> addresses() {
      return frames.stream()
          .filter(f -> !f.kernel() && !f.inlined())
          .map(f -> f.address().substring(2))
          .toList();
    }

    List<String> names() {
      return frames.stream().map(Frame::name).toList();
    }

    /** Those of a file, outermost first. */
    List<String> of(String module) {
      return frames.stream()
          .filter(f -> f.module().equals(module) && !f.inlined())
          .map(Frame::name)
          .toList()
          .reversed();
    }

    boolean hasKernelPart() {
      return frames.stream().anyMatch(Frame::kernel);
    }
  }

  static StackJson take(int pid, String... options) {
    List<String> args = new ArrayList<>(List.of("stack", "" + pid, "--json"));
    args.addAll(Arrays.asList(options));
    PlumbCommand.Result result = PlumbCommand.run(args.toArray(String[]::new));
    assertThat(result.code()).as(result.err()).isZero();
    return parse(result.out());
  }

  static StackJson parse(String json) {
    Map<?, ?> all = (Map<?, ?>) TestJson.parse(json);
    Map<Integer, Thread> threads = new TreeMap<>();
    for (Object each : (List<?>) all.get("threads")) {
      Map<?, ?> thread = (Map<?, ?>) each;
      List<Frame> frames = new ArrayList<>();
      for (Object one : (List<?>) thread.get("frames")) {
        Map<?, ?> frame = (Map<?, ?>) one;
        assertThat(frame.keySet().stream().map(Object::toString))
            .contains("name", "module", "offset", "file", "line", "inlined", "kernel");
        frames.add(
            new Frame(
                (String) frame.get("name"),
                (String) frame.get("module"),
                (String) frame.get("address"),
                (Boolean) frame.get("kernel"),
                (Boolean) frame.get("inlined")));
      }
      threads.put(
          ((Double) thread.get("tid")).intValue(),
          new Thread(
              (String) thread.get("state"),
              (String) thread.get("doing"),
              (String) thread.get("problem"),
              frames));
    }
    return new StackJson(
        ((Double) all.get("pid")).intValue(), (Double) all.get("stopped_ms"), threads);
  }
}
