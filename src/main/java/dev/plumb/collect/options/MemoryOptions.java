package dev.plumb.collect.options;

import java.util.List;

/**
 * What the mode {@code mem} has to know.
 *
 * @param command that will be run, whose allocators are found before it runs; empty for none
 * @param library another one that has an allocator: a part of its name, or its path; empty for none
 * @param news whether returns of operators new that may throw are probed, at the program's risk
 */
public record MemoryOptions(List<String> command, String library, boolean news) {
  public static final MemoryOptions NONE = new MemoryOptions(List.of(), "", false);

  public MemoryOptions {
    command = List.copyOf(command);
  }
}
