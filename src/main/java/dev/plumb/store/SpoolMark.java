package dev.plumb.store;

/**
 * Says which file of a spool a recording comes from, so that a file that is read again after a
 * crash adds nothing.
 *
 * @param source the spool's name; it stays the same over restarts
 * @param number of the file; it rises within a source
 */
public record SpoolMark(String source, long number) {}
