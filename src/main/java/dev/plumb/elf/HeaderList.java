package dev.plumb.elf;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.IntFunction;

/**
 * A list of headers that decodes a header at each access, so that a file that claims millions of
 * them costs nothing.
 */
final class HeaderList<T> extends AbstractList<T> implements RandomAccess {
  private final int size;
  private final IntFunction<T> decoder;

  HeaderList(int size, IntFunction<T> decoder) {
    this.size = size;
    this.decoder = decoder;
  }

  @Override
  public T get(int index) {
    return decoder.apply(Objects.checkIndex(index, size));
  }

  @Override
  public int size() {
    return size;
  }
}
