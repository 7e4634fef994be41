package dev.plumb.linux.kernel;

import java.util.Arrays;

/** The NUMA node that each CPU belongs to, on machines with several nodes. */
public final class NumaNodes {
  private static final String FOLDER = "/sys/devices/system/node";

  private NumaNodes() {}

  /** The node of each CPU by its number; empty on a machine with one node, which is most. */
  public static int[] ofCpus() {
    return ofCpus(FOLDER);
  }

  public static int[] ofCpus(String folder) {
    int[] nodes = Cpus.parse(KernelFile.read(folder + "/online").orElse(""));
    if (nodes.length < 2) {
      return new int[0];
    }
    int[] ofCpus = new int[Cpus.possibleCount()];
    for (int node : nodes) {
      for (int cpu : Cpus.parse(KernelFile.read(folder + "/node" + node + "/cpulist").orElse(""))) {
        if (cpu >= ofCpus.length) {
          ofCpus = Arrays.copyOf(ofCpus, cpu + 1);
        }
        ofCpus[cpu] = node;
      }
    }
    return ofCpus;
  }
}
