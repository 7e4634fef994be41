package dev.plumb.bpf;

/** What an object file asks for: maps, programs, settings. */
public final class CollectionSpec {}
