package dev.plumb.elf;

/**
 * A statically defined trace point (SystemTap's {@code sys/sdt.h}).
 *
 * @param elfAddress of the probe's nop, adjusted if the file was prelinked after linking
 * @param base the address of {@code .stapsdt.base} when the file was linked
 * @param semaphore the ELF address of the counter that enables the probe, or 0
 * @param arguments where the arguments are, e.g. {@code -4@%edi 8@16(%rbp)}
 */
public record UsdtNote(
    String provider, String name, long elfAddress, long base, long semaphore, String arguments) {}
