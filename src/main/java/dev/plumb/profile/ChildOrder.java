package dev.plumb.profile;

import java.util.Arrays;

/** Links the children of each node of a tree, the heaviest first, ties by number. */
final class ChildOrder {
  private final double[] weights;
  private final int[] firstChild;
  private final int[] nextSibling;

  /** {@code parents[node] < node}; the root's parent is -1. */
  ChildOrder(int[] parents, double[] weights) {
    this.weights = weights;
    int size = parents.length;
    firstChild = new int[size];
    nextSibling = new int[size];
    Arrays.fill(firstChild, -1);
    Arrays.fill(nextSibling, -1);
    // Counting sort by parent: starts[] first holds where each one's children end, then, filled
    // from
    // the back, where they start.
    int[] starts = new int[size + 1];
    for (int node = 1; node < size; node++) {
      starts[parents[node]]++;
    }
    int most = 0;
    for (int node = 0, sum = 0; node <= size; node++) {
      most = Math.max(most, starts[node]);
      sum += starts[node];
      starts[node] = sum;
    }
    int[] children = new int[size];
    for (int node = size - 1; node > 0; node--) {
      children[--starts[parents[node]]] = node;
    }
    int[] scratch = new int[most];
    for (int node = 0; node < size; node++) {
      link(node, children, starts[node], starts[node + 1], scratch);
    }
  }

  int[] firstChild() {
    return firstChild;
  }

  int[] nextSibling() {
    return nextSibling;
  }

  private void link(int parent, int[] children, int from, int to, int[] scratch) {
    if (from == to) {
      return;
    }
    sort(children, from, to, scratch);
    firstChild[parent] = children[from];
    for (int i = from; i + 1 < to; i++) {
      nextSibling[children[i]] = children[i + 1];
    }
  }

  /** A stable merge sort of ints by weight; the JDK's would need boxed integers. */
  private void sort(int[] nodes, int from, int to, int[] scratch) {
    if (to - from < 12) {
      insertionSort(nodes, from, to);
      return;
    }
    int middle = (from + to) >>> 1;
    sort(nodes, from, middle, scratch);
    sort(nodes, middle, to, scratch);
    int count = to - from;
    System.arraycopy(nodes, from, scratch, 0, count);
    int left = 0;
    int right = middle - from;
    for (int i = from; i < to; i++) {
      boolean takeLeft =
          right == count
              || left < middle - from && weights[scratch[left]] >= weights[scratch[right]];
      nodes[i] = takeLeft ? scratch[left++] : scratch[right++];
    }
  }

  private void insertionSort(int[] nodes, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int node = nodes[i];
      int at = i;
      while (at > from && weights[nodes[at - 1]] < weights[node]) {
        nodes[at] = nodes[at - 1];
        at--;
      }
      nodes[at] = node;
    }
  }
}
