/** Two hot methods, for ever; "ready" when they have been compiled. */
final class Hot {
  private static volatile int sink;

  public static void main(String[] args) {
    long start = System.nanoTime();
    boolean told = false;
    for (int i = 0; ; i++) {
      sink = hotOuter(i);
      if (!told && System.nanoTime() - start > 1_000_000_000L) {
        told = true;
        System.out.println("ready");
      }
    }
  }

  static int hotOuter(int seed) {
    int sum = seed;
    for (int i = 0; i < 100; i++) {
      sum ^= hotInner(sum, 1000);
    }
    return sum;
  }

  static int hotInner(int seed, int n) {
    int sum = seed;
    for (int i = 0; i < n; i++) {
      sum = sum * 31 + i;
    }
    return sum;
  }
}
