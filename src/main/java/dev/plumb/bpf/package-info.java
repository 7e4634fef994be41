/**
 * The BPF loader, all in Java: object file → {@link dev.plumb.bpf.object.CollectionSpec} (pure: the
 * same on every machine, no system call) → {@link dev.plumb.bpf.Collection} (what is in the kernel:
 * maps, programs, variables), then {@link dev.plumb.bpf.Links} to attach programs and {@link
 * dev.plumb.bpf.RingBuffer} to read what they write.
 *
 * <p>Start at {@code CollectionSpec} and follow the two halves: {@code object.ObjectReader} takes
 * the file apart; {@code Loader} makes types, maps and programs of it, by {@code
 * object.ProgramLinker}, which puts a program's functions together, and {@code ProgramLoad}, which
 * hands it to the verifier and translates what the verifier says. Types and CO-RE relocation are in
 * {@link dev.plumb.bpf.btf}.
 *
 * <p>Kernels from 5.10 on: what is newer is tried ({@link dev.plumb.bpf.Feature}) and done the
 * older way where there is one.
 */
package dev.plumb.bpf;
