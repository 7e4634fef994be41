package dev.plumb.elf;

/**
 * A statically defined trace point (SystemTap's {@code sys/sdt.h}).
 *
 * @param elfAddress of the probe's nop; moved if the file was prelinked after it was linked
 * @param base the address of {@code .stapsdt.base} when it was linked
 * @param semaphore the ELF address of the counter that switches the probe on, or 0
 * @param arguments where the arguments are, e.g. {@code -4@%edi 8@16(%rbp)}
 */
public record UsdtNote(
    String provider, String name, long elfAddress, long base, long semaphore, String arguments) {}
