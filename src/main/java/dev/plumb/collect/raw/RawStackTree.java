package dev.plumb.collect.raw;

import dev.plumb.profile.StackEnd;
import dev.plumb.table.PairIndex;

/**
 * Stacks as a tree: a stack is the place of its leaf and the stack of the caller, so what stacks
 * have in common is held once, whichever processes they belong to. At the root are the empty
 * stacks, one for each {@link StackEnd}. The tree holds the places and regions, too.
 */
public final class RawStackTree {
  private static final StackEnd[] ENDS = StackEnd.values();
  private static final int NO_PLACE = -1;

  /** Instead of a place, in a stack that stands for one that is not unwound yet. */
  private static final int LATER = -2;

  /** Stands for a stack that never was unwound. */
  static final int UNWOUND_TOO_LATE = ENDS.length;

  /** Caller and place. */
  private final PairIndex stacks = new PairIndex();

  private final RawPlaces places = new RawPlaces();
  private final RawRegions regions = new RawRegions();

  RawStackTree() {
    for (StackEnd end : ENDS) {
      stacks.add(NO_PLACE - end.ordinal(), NO_PLACE);
    }
    stacks.add(StackEnd.EARLY.ordinal(), RawPlaces.UNKNOWN);
  }

  int empty(StackEnd end) {
    return end.ordinal();
  }

  int called(int caller, int place) {
    return stacks.add(caller, place);
  }

  /** A stack that stands for one that is not unwound yet. */
  int placeholder(int number) {
    return stacks.add(number, LATER);
  }

  boolean isPlaceholder(int stack) {
    return stacks.second(stack) == LATER;
  }

  /** How many stacks there are, with the empty ones and those that are part of others. */
  int size() {
    return stacks.size();
  }

  boolean isEmpty(int stack) {
    return stacks.second(stack) == NO_PLACE;
  }

  /** How an empty stack ended. */
  StackEnd end(int stack) {
    return ENDS[stack];
  }

  /** The stack without its leaf. */
  int caller(int stack) {
    return stacks.first(stack);
  }

  /** The leaf's place. */
  int place(int stack) {
    return stacks.second(stack);
  }

  RawPlaces places() {
    return places;
  }

  RawRegions regions() {
    return regions;
  }

  /** Copies some stacks, with their places and regions, to a new tree. */
  final class Copier {
    private final RawStackTree copied = new RawStackTree();
    private final CallerPath path = new CallerPath();

    /** For each old stack, the new one + 1. */
    private final int[] copies = new int[size()];

    /**
     * The stack in the new tree.
     *
     * @param process the number that its process has from now on
     */
    int copy(int stack, int process) {
      int at = path.walk(RawStackTree.this, stack, copies);
      int copy = isEmpty(at) ? at : copies[at] - 1;
      while (path.hasNext()) {
        at = path.next();
        copy = copied.called(copy, copyPlace(place(at), process));
        copies[at] = copy + 1;
      }
      return copy;
    }

    private int copyPlace(int place, int process) {
      if (place == RawPlaces.UNKNOWN || place == RawPlaces.UNKNOWN_PROCESS) {
        return place;
      }
      boolean isReturn = places.isReturn(place);
      if (places.isKernel(place)) {
        return copied.places.kernel(places.offset(place), isReturn);
      }
      int region = copied.regions.of(process, regions.mapping(places.region(place)));
      return copied.places.user(region, places.offset(place), isReturn, places.time(place));
    }

    RawStackTree copied() {
      return copied;
    }
  }

  /** Frees what is needed only to add stacks. */
  void complete() {
    stacks.complete();
  }
}
