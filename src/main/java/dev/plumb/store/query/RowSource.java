package dev.plumb.store.query;

/**
 * A table or some files, and which of their rows count.
 *
 * @param from what follows FROM
 * @param condition on the time
 * @param ofThreads whether rows are sums by thread, with columns of their own
 */
record RowSource(String from, String condition, boolean ofThreads) {}
