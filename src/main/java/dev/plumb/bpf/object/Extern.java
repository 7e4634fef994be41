package dev.plumb.bpf.object;

/**
 * Something that the object uses and the kernel has.
 *
 * @param weak whether it may be missing; it is zero then
 */
public record Extern(String name, boolean weak, Kind kind) {
  public sealed interface Kind {}

  /**
   * A value of the kernel's configuration, kept in the {@code .kconfig} map.
   *
   * @param type its BTF type, without modifiers
   */
  public record Config(int type, int size, int offset) implements Kind {}

  /**
   * A kernel variable, or any kernel symbol's address.
   *
   * @param type its BTF type; 0 for the bare address
   */
  public record Symbol(int type) implements Kind {}

  /**
   * A kernel function that programs may call.
   *
   * @param type the BTF function
   */
  public record KernelFunction(int type) implements Kind {}
}
