package dev.plumb.collect.probe;

import dev.plumb.collect.code.Library;
import java.util.List;

/**
 * An instruction of a file that a probe goes to.
 *
 * @param name what it is called in labels
 * @param semaphoreOffset where in the file the counter is that switches a USDT probe on, or 0
 * @param arguments where a USDT probe's arguments are; none for functions
 */
public record ProbeSite(
    Library library, String name, long fileOffset, long semaphoreOffset, List<Argument> arguments) {
  public ProbeSite {
    arguments = List.copyOf(arguments);
  }
}
