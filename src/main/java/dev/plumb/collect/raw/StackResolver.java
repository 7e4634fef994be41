package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.collect.kernel.Records;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import java.util.Optional;

/** Turns the addresses of a stack into places in what its process has mapped. */
final class StackResolver {
  private final RawProcesses processes;
  private final GeneratedCode generatedCode = new GeneratedCode();
  private final int[] scratch = new int[Records.MAX_USER_FRAMES];

  /** The mapping of the outermost frame that lies in one, of the stack at hand. */
  private Optional<Mapping> outermost = Optional.empty();

  private StackEnd lastEnd = StackEnd.WHOLE;

  StackResolver(RawProcesses processes) {
    this.processes = processes;
  }

  /**
   * The stack of these addresses, as far as the mappings of their process are known.
   *
   * @param leavesOnly to keep only the leaf of each part and to say so, because the tree is full
   */
  int resolve(RawStackTree tree, UnresolvedStacks.Raw raw, boolean leavesOnly) {
    Optional<ProcessImage> image = processes.image(raw.owner());
    int user = raw.user();
    int kernel = raw.kernel();
    int wanted = leavesOnly ? Math.min(user, 1) : user;
    int mapped = image.isPresent() ? places(tree, raw, image.get(), wanted) : 0;
    // A return address that lies in no mapping is no frame: unwinding went astray before it.
    boolean astray = mapped < wanted && raw.end() != StackEnd.EARLY;
    StackEnd how = astray ? StackEnd.UNMAPPED : leavesOnly ? StackEnd.TOO_MANY : raw.end();
    StackEnd end = mapped > 0 ? generatedCode.end(how, outermost) : how;
    lastEnd = how;
    int stack = tree.empty(end);
    for (int i = mapped - 1; i >= 0; i--) {
      stack = tree.called(stack, scratch[i]);
    }
    for (int i = (leavesOnly ? Math.min(kernel, 1) : kernel) - 1; i >= 0; i--) {
      long address = raw.kernelAddresses().getAtIndex(JAVA_LONG, i);
      stack = tree.called(stack, tree.places().kernel(address, i > 0));
    }
    if (tree.isEmpty(stack)) {
      stack = tree.called(stack, image.isPresent() ? RawPlaces.UNKNOWN : RawPlaces.UNKNOWN_PROCESS);
    }
    return stack;
  }

  /** How the stack ended that was resolved last, as far as unwinding knows. */
  StackEnd lastEnd() {
    return lastEnd;
  }

  /**
   * Puts the places of addresses into the scratch array, up to the first that is in no mapping;
   * returns their number.
   */
  private int places(RawStackTree tree, UnresolvedStacks.Raw raw, ProcessImage image, int count) {
    long time = raw.time();
    for (int i = 0; i < count; i++) {
      long recorded = raw.userAddresses().getAtIndex(JAVA_LONG, i);
      long address = recorded & ~Records.INTERRUPTED;
      boolean isReturn = i > 0 && recorded == address;
      Optional<Mapping> mapping = image.mappingAt(address, time);
      if (mapping.isEmpty()) {
        processes.refresh(image, time);
        mapping = image.mappingAt(address, time);
      }
      if (mapping.isEmpty()) {
        return i;
      }
      outermost = mapping;
      int region = tree.regions().of(raw.owner(), mapping.get());
      scratch[i] = tree.places().user(region, address - mapping.get().start(), isReturn, time);
    }
    return count;
  }
}
