/**
 * Profiles over time, on DuckDB.
 *
 * <p>{@link dev.plumb.store.Sink} is the way in, {@link dev.plumb.store.History} the way out; the
 * store is both. What is asked for is a {@link dev.plumb.store.Selection}.
 */
package dev.plumb.store;
