package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Addresses of kernel symbols. */
final class KernelSymbols {
  private static final Path FILE = Path.of("/proc/kallsyms");

  private KernelSymbols() {}

  /** The kernel addresses of those of the names that there are. */
  static Map<String, Long> addresses(List<String> names) {
    Map<String, Long> found = new HashMap<>();
    Set<String> wanted = new HashSet<>(names);
    try (BufferedReader lines = Files.newBufferedReader(FILE, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine();
          line != null && found.size() < wanted.size();
          line = lines.readLine()) {
        // "ffffffff81000000 T _stext", then perhaps "\t[module]"
        int nameAt = line.indexOf(' ', line.indexOf(' ') + 1) + 1;
        int end = line.indexOf('\t', nameAt);
        String name = end < 0 ? line.substring(nameAt) : line.substring(nameAt, end);
        if (nameAt > 0 && wanted.contains(name)) {
          found.putIfAbsent(name, Long.parseUnsignedLong(line, 0, line.indexOf(' '), 16));
        }
      }
    } catch (IOException e) {
      throw new BpfException("cannot read " + FILE, e);
    }
    return found;
  }
}
