package dev.plumb.collect;

import java.util.List;

/**
 * What the mode {@code mem} has to know.
 *
 * @param command that will be run, whose allocators are found before it runs; empty for none
 * @param library another one that has an allocator: a part of its name, or its path; empty for none
 */
public record MemoryOptions(List<String> command, String library) {
  public static final MemoryOptions NONE = new MemoryOptions(List.of(), "");

  public MemoryOptions {
    command = List.copyOf(command);
  }
}
