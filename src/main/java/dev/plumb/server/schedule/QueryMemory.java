package dev.plumb.server.schedule;

import dev.plumb.server.http.BodyMemoryBudget;

/**
 * How much of the heap queries may take, so that all that run at once fit beside request bodies
 * ({@link BodyMemoryBudget}, a quarter) and what the store holds at rest (a quarter).
 *
 * <p>Two heavy queries have a fifth of the heap each. In a large heap, more of them run at once: as
 * many as {@link #MOST_HEAVY_BYTES} each allow, but at most two per processor. Light queries have a
 * fiftieth each, and places of their own, so that heavy ones never keep them waiting.
 *
 * @param heavyPlaces how many heavy queries run at once
 * @param heavyBytes how much each of them may take
 */
public record QueryMemory(int heavyPlaces, long heavyBytes, int lightPlaces, long lightBytes) {
  static final long MOST_HEAVY_BYTES = 256L << 20;
  private static final int LIGHT_PLACES = 4;

  /** For this process. */
  public static QueryMemory ofMachine() {
    Runtime runtime = Runtime.getRuntime();
    return of(runtime.maxMemory(), runtime.availableProcessors());
  }

  public static QueryMemory of(long heap, int processors) {
    long each = Math.min(heap / 5, MOST_HEAVY_BYTES);
    int places = (int) Math.clamp(heap / 5 * 2 / each, 2, Math.max(2, 2L * processors));
    return new QueryMemory(places, each, LIGHT_PLACES, heap / 50);
  }
}
