package dev.plumb.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Numbers symbols and maps the frames of a stack table to them. */
final class SymbolIndex<T> {
  private final List<T> symbols = new ArrayList<>();
  private final Map<T, Integer> ids = new HashMap<>();

  int id(T symbol) {
    Integer known = ids.putIfAbsent(symbol, symbols.size());
    if (known != null) {
      return known;
    }
    symbols.add(symbol);
    return symbols.size() - 1;
  }

  /** The symbol's number for each frame id. */
  int[] ofFrames(StackTable stacks, Function<Frame, T> symbolOf) {
    List<Frame> frames = stacks.frames();
    int[] result = new int[frames.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = id(symbolOf.apply(frames.get(i)));
    }
    return result;
  }

  /** The number of the symbol of each thread's process. */
  int[] ofThreads(List<ThreadInfo> threads, Function<ThreadInfo, T> symbolOf) {
    int[] result = new int[threads.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = id(symbolOf.apply(threads.get(i)));
    }
    return result;
  }

  T symbol(int id) {
    return symbols.get(id);
  }

  List<T> symbols() {
    return List.copyOf(symbols);
  }
}
