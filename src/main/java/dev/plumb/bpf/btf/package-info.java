/**
 * BTF, the types of BPF objects and of the kernel, and CO-RE, which adapts a program that was
 * compiled with one idea of the kernel's types to the kernel that there is.
 *
 * <p>Start at {@link dev.plumb.bpf.btf.Btf}, which answers questions about types by number, then
 * {@link dev.plumb.bpf.btf.CoreRelocator}, which answers what clang left open: {@code CorePath} is
 * what the program means, {@code CoreMatcher} finds the same in the kernel's types, {@code
 * TypeCompatibility} and {@code TypeMatch} say what is the same. The other way round, {@link
 * dev.plumb.bpf.btf.ObjectTypes} and {@link dev.plumb.bpf.btf.SimplerTypes} make an object's types
 * ones that the kernel takes.
 */
package dev.plumb.bpf.btf;
