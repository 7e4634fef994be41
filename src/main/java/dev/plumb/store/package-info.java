/**
 * Profiles over time, on DuckDB: what can be added and queried. The engine is in the rooms below.
 *
 * <p>{@link dev.plumb.store.Sink} is the way in, {@link dev.plumb.store.History} the way out;
 * {@link dev.plumb.store.engine.Store} is both. A {@link dev.plumb.store.Selection} says what a
 * query is about. Any package may use these classes and {@code Store}; the other rooms are for this
 * family alone.
 *
 * <pre>
 *   add → RowMaker → PendingRows     rows wait for at most a second            write
 *                      ↓ WriteTransaction   rows, new series, stacks and frames
 *                  hot_N             a table of samples in plumb.duckdb, at most two million rows
 *                      ↓ DiskUpkeep  sorted by thread and time, zstd           upkeep
 *                  segments/*-N.parquet   raw, thread, second, minute, hour, names
 *                      ↓ RollupMaker sums of 4, 16, 64 and 256 segments
 *                  segments/*L-N.parquet  sums, steps
 *
 *   query → SelectorResolver → ResolvedQuery   matching series, conditions on samples
 *           StoreSnapshot → RowSources         the coarsest files and tables that answer exactly
 *           Sum-, Sample-, LabelQueries, TimelineQuery                         query
 * </pre>
 *
 * <p>Why old samples go to Parquet: sorted by thread, a sample takes about five bytes there and
 * more than six in DuckDB's own format. A file is written once and never changed, so a crash cannot
 * damage it, and damage stays within one file. Deleting a file frees disk space at once, whereas
 * DuckDB's file does not shrink. The database keeps what is small and changes: the newest samples,
 * the series, the dictionaries of stacks, the list of segments. One transaction enters a segment
 * and drops the table that it was made from: after a crash there is one or the other.
 *
 * <p>Crashes: addCommitted returns when the transaction that writes its rows is committed; callers
 * that come while one transaction is being written share the next. Damage: opening reads every
 * table; if one cannot be read, {@code DatabaseRescue} makes a new database from what can be read
 * and from the segments, whose {@code SegmentNames} say what their numbers mean.
 *
 * <p>Numbers: a <em>measure</em> is a profile's main type with its count; further types have rows
 * of their own. A <em>series</em> is a measure with those labels that have few values. Pid, thread
 * and labels with many values (details) are stored per sample only, so that sums do not grow with
 * the number of processes. A <em>dictionary</em> numbers stacks and frames. When it is large, the
 * store begins another, with higher numbers; a dictionary is dropped with the last segment that
 * refers to it.
 *
 * <p>Exactness: times are in microseconds. A segment that lies within a range is read from its
 * sums; a segment that the range cuts is read from its samples, unless the cut is at a whole minute
 * or hour. Where samples were dropped, the cut is as exact as the remaining sums allow.
 *
 * <p>Space: {@link dev.plumb.store.StoreOptions} sets the budget; samples have 60 % of it, sums per
 * minute 25 %, sums per hour 15 %. The tier that is furthest above its share loses its oldest data
 * first.
 */
package dev.plumb.store;
