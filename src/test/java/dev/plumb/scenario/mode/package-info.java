/**
 * What each mode but {@code cpu} measures, compared with a program that knows what it did. Start at
 * {@code RecordForksTest}, which tests the mode that docs/new-collector.md shows.
 */
package dev.plumb.scenario.mode;
