package dev.plumb.bpf.btf;

/**
 * Names of types as NUL-terminated bytes.
 *
 * <p>A name's essential part ends before its last flavour: {@code task_struct___old} is a local
 * idea of {@code task_struct}. The three underscores need another character on either side.
 */
final class EssentialNames {
  private EssentialNames() {}

  /** A hash of the essential part; the string starts at {@code from} and ends in NUL. */
  static int essentialHash(byte[] bytes, int from) {
    int hash = 0;
    int essential = 0;
    int beforeRun = 0;
    int run = 0;
    boolean flavoured = false;
    for (int i = from; ; i++) {
      int c = bytes[i];
      if (c == '_') {
        if (run == 0) {
          beforeRun = hash;
        }
        run++;
      } else {
        if (c == 0) {
          return flavoured ? essential : hash;
        }
        if (run == 3 && i - 3 > from) {
          essential = beforeRun;
          flavoured = true;
        }
        run = 0;
      }
      hash = hash * 31 + c;
    }
  }

  /** The length of the essential part. */
  static int essentialLength(byte[] bytes, int from) {
    int essential = -1;
    int run = 0;
    for (int i = from; ; i++) {
      int c = bytes[i];
      if (c == '_') {
        run++;
      } else {
        if (c == 0) {
          return essential >= 0 ? essential : i - from;
        }
        if (run == 3 && i - 3 > from) {
          essential = i - 3 - from;
        }
        run = 0;
      }
    }
  }

  static boolean same(byte[] a, int fromA, byte[] b, int fromB) {
    for (int i = 0; ; i++) {
      if (a[fromA + i] != b[fromB + i]) {
        return false;
      }
      if (a[fromA + i] == 0) {
        return true;
      }
    }
  }

  /** Whether two names of two BTFs are the same, byte for byte. */
  static boolean same(Btf a, int nameA, Btf b, int nameB) {
    return same(
        a.stringBytes(nameA), a.stringStart(nameA), b.stringBytes(nameB), b.stringStart(nameB));
  }

  /** Whether two names of two BTFs are the same but for their flavours. */
  static boolean sameEssential(Btf a, int nameA, Btf b, int nameB) {
    byte[] bytesA = a.stringBytes(nameA);
    byte[] bytesB = b.stringBytes(nameB);
    int fromA = a.stringStart(nameA);
    int fromB = b.stringStart(nameB);
    int length = essentialLength(bytesA, fromA);
    if (length != essentialLength(bytesB, fromB)) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytesA[fromA + i] != bytesB[fromB + i]) {
        return false;
      }
    }
    return true;
  }
}
