/**
 * How loading fails: {@link dev.plumb.bpf.error.BpfException}, and {@link
 * dev.plumb.bpf.error.UnsupportedException} where the kernel is too old.
 */
package dev.plumb.bpf.error;
