package dev.plumb.store;

/**
 * A table or some files, and which of their rows count.
 *
 * @param from what follows FROM
 * @param condition on the time
 */
record Source(String from, String condition) {}
