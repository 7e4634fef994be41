/**
 * What the numbers in a row of samples stand for: stacks and frames, series, details.
 *
 * <p>Writing, {@link dev.plumb.store.dictionary.StackDictionary} and {@link
 * dev.plumb.store.dictionary.SeriesTable} hand out numbers; for a query, {@link
 * dev.plumb.store.dictionary.StackTranslator} puts a dictionary's stacks into the result's {@link
 * dev.plumb.store.dictionary.MergedStacks}. For the rooms of {@code store} alone; uses {@code
 * database}.
 */
package dev.plumb.store.dictionary;
