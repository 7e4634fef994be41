/**
 * Queries: from a {@link dev.plumb.store.Selection} to SQL, and from its rows to profiles,
 * timelines and labels.
 *
 * <p>{@link dev.plumb.store.query.SelectorResolver} finds the series that match, {@link
 * dev.plumb.store.query.StoreSnapshot} the tables and files to read; {@link
 * dev.plumb.store.query.SumQueries} is the simplest user of both. For the rooms of {@code store}
 * alone; uses {@code dictionary} and {@code segment}.
 */
package dev.plumb.store.query;
