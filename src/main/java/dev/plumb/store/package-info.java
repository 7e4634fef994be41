/**
 * Profiles over time, on DuckDB.
 *
 * <p>{@link dev.plumb.store.Sink} is the way in, {@link dev.plumb.store.History} the way out;
 * {@link dev.plumb.store.engine.Store} is both. What is asked for is a {@link dev.plumb.store.Selection}.
 *
 * <pre>
 *   add → Intake → Waiting           rows wait for a second at most
 *                      ↓ Writer      one transaction: rows, and new series, stacks and frames
 *                  hot_N             a table of samples in plumb.duckdb, up to two million rows
 *                      ↓ Keeper      sorted by thread and time, zstd
 *                  segments/*-N.parquet   raw, thread, second, minute, hour, names
 *                      ↓ Bundling    sums of 4, 16, 64 and 256 segments
 *                  segments/*L-N.parquet  sums, steps
 *
 *   question → Resolver → Question   which series match, and what only samples can say
 *              View → Sources        the coarsest files and tables that answer exactly
 *              Sum-, Sample-, LabelAnswers
 * </pre>
 *
 * <p>Why Parquet for what is old: sorted by thread, a sample takes about five bytes in it and more
 * than six in DuckDB's own format; a file is written once and never changed, so that a crash cannot
 * damage it and damage stays within it; and deleting it gives the disk back at once, while DuckDB's
 * file does not shrink. The database keeps what is small and changes: the newest samples, series,
 * dictionaries of stacks, the list of segments. A segment is entered in the same transaction that
 * drops the table it was made of: after a crash there is either the one or the other.
 *
 * <p>Crashes: whoever calls addCommitted waits for the transaction that writes its rows, and shares
 * it with all who came while the last one was written. Damage: opening reads every table; if one
 * cannot be read, {@code Rescue} makes a new database of what can be read and of the segments,
 * whose {@code Names} say what their numbers mean.
 *
 * <p>Numbers: a <em>measure</em> is a profile's main type with its count; further types have rows
 * of their own. A <em>series</em> is a measure with labels that are few; pid, thread and labels
 * with many values (details) stand with single samples only, so that sums do not grow with the
 * number of processes. A <em>dictionary</em> numbers stacks and frames; when it is large, another
 * one begins, with numbers above it, and it is dropped with the last segment that refers to it.
 *
 * <p>Exactness: times are microseconds. A segment that lies within a range is read from its sums;
 * one that the range cuts is read from its samples, unless the cut is at a whole minute or hour.
 * Where samples are gone, the cut is as exact as the sums that are left.
 *
 * <p>Space: {@link dev.plumb.store.StoreOptions} says how much; single samples have 60 % of it,
 * sums by minute 25, by hour 15. What is furthest above its share loses its oldest first.
 */
package dev.plumb.store;
