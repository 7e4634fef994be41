package dev.plumb.collect;

import dev.plumb.bpf.Link;
import java.util.List;

/** Links that are taken off together. */
record Attached(List<Link> links) implements AutoCloseable {
  static final Attached NONE = new Attached(List.of());

  @Override
  public void close() {
    links.forEach(Link::close);
  }
}
