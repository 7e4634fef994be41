/**
 * perf events: {@link dev.plumb.linux.perf.PerfEventAttr} says which, {@link
 * dev.plumb.linux.perf.PerfEvent} opens one.
 */
package dev.plumb.linux.perf;
