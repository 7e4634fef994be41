package dev.plumb.elf;

import java.lang.foreign.MemorySegment;

/** A note: {@code GNU} 3 is the build id, {@code Go} 4 Go's, {@code stapsdt} 3 a USDT probe. */
public record Note(String owner, int type, MemorySegment content) {}
