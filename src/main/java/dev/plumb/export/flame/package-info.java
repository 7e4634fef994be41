/**
 * Pictures: the flame graph as a page, as SVG, for speedscope, and the difference of two. Start at
 * {@link dev.plumb.export.flame.FlameData}.
 */
package dev.plumb.export.flame;
