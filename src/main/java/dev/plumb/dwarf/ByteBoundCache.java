package dev.plumb.dwarf;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.function.ToLongFunction;

/** Keeps the values used last, up to a number of bytes; the newest is kept whatever its size. */
final class ByteBoundCache<K, V> {
  private final LinkedHashMap<K, V> entries = new LinkedHashMap<>(16, 0.75f, true);
  private final long most;
  private final ToLongFunction<V> sizes;
  private long bytes;

  ByteBoundCache(long most, ToLongFunction<V> sizes) {
    this.most = most;
    this.sizes = sizes;
  }

  /** Null if it is not cached. */
  V get(K key) {
    return entries.get(key);
  }

  void put(K key, V value) {
    V before = entries.put(key, value);
    bytes += sizes.applyAsLong(value) - (before == null ? 0 : sizes.applyAsLong(before));
    Iterator<V> oldest = entries.values().iterator();
    while (bytes > most && entries.size() > 1) {
      bytes -= sizes.applyAsLong(oldest.next());
      oldest.remove();
    }
  }

  long bytes() {
    return bytes;
  }
}
