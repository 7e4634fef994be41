/**
 * What a BPF object file says, before any kernel is asked: programs, maps, variables, relocations.
 *
 * <p>Start at {@link dev.plumb.bpf.object.CollectionSpec}; {@code ObjectReader} reads the ELF file.
 * Pure: the same on every machine.
 */
package dev.plumb.bpf.object;
