package dev.plumb.collect.probe;

import dev.plumb.collect.code.Library;
import java.util.List;

/**
 * An instruction in a file, for a probe.
 *
 * @param name its name in labels
 * @param semaphoreOffset the file offset of the counter that enables a USDT probe, or 0
 * @param arguments where the arguments of a USDT probe are; empty for functions
 */
public record ProbeSite(
    Library library, String name, long fileOffset, long semaphoreOffset, List<Argument> arguments) {
  public ProbeSite {
    arguments = List.copyOf(arguments);
  }
}
