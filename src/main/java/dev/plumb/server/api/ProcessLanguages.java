package dev.plumb.server.api;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import java.util.HashMap;
import java.util.Map;

/** The programming language of each process, as far as the frames of its stacks show it. */
final class ProcessLanguages {
  private final Map<String, String> known = new HashMap<>();

  /** Looks at the frames of a profile; the first language found for a process stays. */
  void add(Profile profile) {
    StackTable stacks = profile.stacks();
    String[] ofFrame = new String[stacks.frames().size()];
    for (int i = 0; i < ofFrame.length; i++) {
      ofFrame[i] = language(stacks.frames().get(i));
    }
    // A stack's callers have lower numbers, so one pass is enough.
    String[] ofStack = new String[stacks.size()];
    for (int stack = 0; stack < ofStack.length; stack++) {
      if (stacks.isEmpty(stack)) {
        ofStack[stack] = "";
      } else {
        String leaf = ofFrame[stacks.leaf(stack)];
        ofStack[stack] = leaf.isEmpty() ? ofStack[stacks.caller(stack)] : leaf;
      }
    }
    for (int row = 0; row < profile.rows(); row++) {
      String language = ofStack[profile.stack(row)];
      if (!language.isEmpty()) {
        int pid = profile.thread(row).pid();
        known.putIfAbsent(key(pid, profile.thread(row).processComm()), language);
        known.putIfAbsent(key(0, profile.thread(row).processComm()), language);
      }
    }
  }

  /** Empty if the language is unknown. */
  String of(int pid, String comm) {
    String language = known.get(key(pid, comm));
    return language != null ? language : known.getOrDefault(key(0, comm), "");
  }

  private static String key(int pid, String comm) {
    return pid + " " + comm;
  }

  private static String language(Frame frame) {
    String module = frame.module();
    if (frame.kind() == FrameKind.KERNEL || frame.kind() == FrameKind.WAITING) {
      return "";
    }
    if (module.contains("libjvm.so") || frame.file().endsWith(".java")) {
      return "Java";
    }
    if (module.contains("python") || frame.file().endsWith(".py")) {
      return "Python";
    }
    if (module.endsWith("/node") || module.equals("node") || frame.file().endsWith(".js")) {
      return "Node.js";
    }
    if (module.contains("libruby") || frame.file().endsWith(".rb")) {
      return "Ruby";
    }
    if (frame.name().startsWith("runtime.") || frame.file().endsWith(".go")) {
      return "Go";
    }
    if (frame.file().endsWith(".rs") || frame.name().startsWith("std::rt::lang_start")) {
      return "Rust";
    }
    return "";
  }
}
