/**
 * {@code .plumb}, the format that keeps everything, in parts that can be read when the rest is
 * missing. Start at {@code PlumbFormat}.
 */
package dev.plumb.export.plumb;
