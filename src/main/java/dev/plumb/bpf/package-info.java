/**
 * The BPF loader: object file → {@link dev.plumb.bpf.CollectionSpec} (pure: the same on every
 * machine, no system call) → {@link dev.plumb.bpf.Collection} (what is in the kernel: maps,
 * programs), then links and ring buffers. Types and CO-RE relocation are in {@code bpf.btf}.
 */
package dev.plumb.bpf;
