package dev.plumb.bpf.btf;

import java.nio.charset.StandardCharsets;

/**
 * Types by name: a hash table of type numbers in two int arrays, filled in one pass over the bytes
 * without making a string. A table of its own, because several types may have one name.
 *
 * <p>The hash is of the essential name (see {@link EssentialNames}), so that one table answers both
 * exact names and CO-RE's.
 */
final class NameIndex {
  /** Small, because methods that are called often are compiled soonest. */
  private static final int CHUNK = 64;

  private final Btf btf;
  private final boolean functions;
  private final int[] heads;
  private final int[] next;
  private final int mask;

  /**
   * @param functions whether to hold functions, or all other types: most of a kernel's names are
   *     functions', which few programs ask for
   */
  NameIndex(Btf btf, boolean functions) {
    this.btf = btf;
    this.functions = functions;
    int own = btf.count() - btf.firstId();
    int size = Math.max(64, Integer.highestOneBit(Math.max(1, own)));
    this.mask = size - 1;
    this.heads = new int[size];
    this.next = new int[own];
    for (int end = own; end > 0; end -= CHUNK) {
      addSome(Math.max(0, end - CHUNK), end);
    }
  }

  /** Adds types from the last to the first, so that the first of a name is found first. */
  private void addSome(int from, int to) {
    int[] words = btf.rawWords();
    int[] offsets = btf.rawOffsets();
    for (int i = to - 1; i >= from; i--) {
      int at = offsets[i];
      int name = words[at];
      int kind = words[at + 1] >>> 24 & 0x1f;
      if (name == 0
          || kind == BtfKind.FUNC != functions
          || kind == BtfKind.DECL_TAG
          || kind == BtfKind.TYPE_TAG) {
        continue;
      }
      int bucket =
          EssentialNames.essentialHash(btf.stringBytes(name), btf.stringStart(name)) & mask;
      next[i] = heads[bucket];
      heads[bucket] = i + 1;
    }
  }

  /** The first type in the bucket of this hash, or -1. */
  int first(int essentialHash) {
    return heads[essentialHash & mask] - 1 + (heads[essentialHash & mask] == 0 ? 0 : btf.firstId());
  }

  /** The next type in the same bucket, or -1. */
  int after(int id) {
    int link = next[id - btf.firstId()];
    return link == 0 ? -1 : link - 1 + btf.firstId();
  }

  int find(String name, int kind) {
    byte[] wanted = (name + "\0").getBytes(StandardCharsets.UTF_8);
    for (int id = first(EssentialNames.essentialHash(wanted, 0)); id >= 0; id = after(id)) {
      int at = btf.nameOffset(id);
      if (btf.kind(id) == kind
          && EssentialNames.same(btf.stringBytes(at), btf.stringStart(at), wanted, 0)) {
        return id;
      }
    }
    return -1;
  }
}
