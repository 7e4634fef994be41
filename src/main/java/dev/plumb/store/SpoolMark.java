package dev.plumb.store;

/**
 * The spool file that a recording comes from. The store commits it, so that a file that is read
 * again after a crash adds nothing.
 *
 * @param source the spool's name; it stays the same over restarts
 * @param number of the file; increases within a source
 */
public record SpoolMark(String source, long number) {}
