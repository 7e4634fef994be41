package dev.plumb.bpf;

/** What of a {@link CollectionSpec} is in the kernel. */
public final class Collection {}
