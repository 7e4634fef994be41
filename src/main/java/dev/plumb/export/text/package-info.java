/** Formats of lines: folded stacks, perf script, Stack_Analyzer. Start at {@code FoldedReader}. */
package dev.plumb.export.text;
