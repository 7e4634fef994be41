/**
 * Pictures: the flame graph as a page and as SVG, samples for speedscope, and the comparison of two
 * profiles.
 *
 * <p>Start at {@link dev.plumb.export.flame.FlameDocument}: the HTML and SVG files and the answers
 * of the page's API are made from it. {@code TreeColumns} is its tree as the pages' scripts read
 * it.
 */
package dev.plumb.export.flame;
