package dev.plumb.bpf.object;

/** An instruction of a function that is finished at load time; {@code at} is its index there. */
sealed interface Relocation {
  int at();

  /** The address of a map. */
  record OfMap(int at, MapSpec map) implements Relocation {}

  /** The address of a variable: a place in the value of a data section's map. */
  record OfData(int at, MapSpec map, int offset) implements Relocation {}

  /** The value or address of something that the kernel has. */
  record OfExtern(int at, Extern extern) implements Relocation {}

  /** A call of a kernel function. */
  record OfKernelCall(int at, Extern extern) implements Relocation {}

  /** A call of another function of the object. */
  record OfCall(int at, Function target) implements Relocation {}

  /** The address of another function, for a helper that calls back. */
  record OfFunctionPointer(int at, Function target) implements Relocation {}
}
