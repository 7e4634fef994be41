/**
 * From a recording to rows in the database.
 *
 * <p>Start at {@link dev.plumb.store.write.WriteBuffer}, through which all writing goes. {@link
 * dev.plumb.store.write.RowMaker} makes rows, {@link dev.plumb.store.write.WriteTransaction} writes
 * them. For the rooms of {@code store} alone; uses {@code dictionary} and {@code database}.
 */
package dev.plumb.store.write;
