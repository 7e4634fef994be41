package dev.plumb.store.query;

/**
 * A table or some files to read, and which of their rows count.
 *
 * @param from what follows FROM
 * @param condition SQL on the time
 * @param ofThreads whether rows are sums per thread, which have more columns
 */
record RowSource(String from, String condition, boolean ofThreads) {}
