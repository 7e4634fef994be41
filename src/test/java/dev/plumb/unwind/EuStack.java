package dev.plumb.unwind;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What elfutils' unwinder says of a process. */
public final class EuStack {
  private static final Pattern THREAD = Pattern.compile("TID (\\d+):");
  private static final Pattern FRAME = Pattern.compile("#\\d+ +0x([0-9a-f]+).*");

  private EuStack() {}

  /** The addresses of all threads' frames, by thread. */
  public static Map<Integer, List<String>> of(int pid) throws IOException {
    Process process =
        new ProcessBuilder("eu-stack", "-n", "0", "-p", Integer.toString(pid))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Map<Integer, List<String>> stacks = new TreeMap<>();
    List<String> frames = new ArrayList<>();
    for (String line : output.split("\n")) {
      Matcher thread = THREAD.matcher(line);
      Matcher frame = FRAME.matcher(line);
      if (thread.matches()) {
        frames = new ArrayList<>();
        stacks.put(Integer.parseInt(thread.group(1)), frames);
      } else if (frame.matches()) {
        frames.add(Long.toHexString(Long.parseUnsignedLong(frame.group(1), 16)));
      }
    }
    return stacks;
  }
}
