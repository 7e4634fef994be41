package dev.plumb.server.schedule;

import dev.plumb.server.http.BodyMemoryBudget;

/**
 * What questions may take of the heap, so that all that run at once fit beside bodies of requests
 * ({@link BodyMemoryBudget}, a quarter) and what the store holds at rest (a quarter).
 *
 * <p>Two heavy questions have a fifth of the heap each. In a large heap more of them run at once:
 * as many as have {@link #MOST_HEAVY_BYTES}, but no more than two for each processor. Light ones
 * have a fiftieth each, and places of their own, so that heavy ones never keep them waiting.
 *
 * @param heavyPlaces how many heavy questions run at once
 * @param heavyBytes what each of them may take
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
