/**
 * Text for people: tables, trees, histograms, colours, units, and what makes hostile text safe to
 * show ({@link dev.plumb.cli.text.SafeText}). Start at {@link dev.plumb.cli.text.TextTable}.
 */
package dev.plumb.cli.text;
