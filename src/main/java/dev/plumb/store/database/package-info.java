/**
 * DuckDB, with nothing of profiles in it but the tables' names: connections, transactions, limits,
 * Parquet options, and what DuckDB's errors mean.
 *
 * <p>Start at {@link dev.plumb.store.database.Database}. Queries read through a {@link
 * dev.plumb.store.database.ReadTransaction}. For the rooms of {@code store} alone; uses none of
 * them.
 */
package dev.plumb.store.database;
