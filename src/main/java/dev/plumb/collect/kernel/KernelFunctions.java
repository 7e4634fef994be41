package dev.plumb.collect.kernel;

import dev.plumb.linux.kernel.Kallsyms;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The names of the kernel's functions. */
public final class KernelFunctions {
  private static final Set<String> KNOWN = ConcurrentHashMap.newKeySet();

  private KernelFunctions() {}

  /** Whether there is a function of this name. */
  public static boolean exists(String name) {
    if (KNOWN.contains(name)) {
      return true;
    }
    boolean found = names().contains(name);
    if (found) {
      KNOWN.add(name);
    }
    return found;
  }

  /** All of them. Read anew each time: they are many and rarely needed. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(Path.of(Kallsyms.FILE))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        // ffffffff81000000 T name [module]
        int type = line.indexOf(' ') + 1;
        int end = line.indexOf('\t', type);
        if (type > 0 && line.length() > type + 2 && "tTwW".indexOf(line.charAt(type)) >= 0) {
          names.add(line.substring(type + 2, end < 0 ? line.length() : end));
        }
      }
    } catch (IOException e) {
      return names; // as many as could be read; attaching will fail if the function is missing
    }
    return names;
  }
}
