/**
 * perf events: {@link dev.plumb.linux.perf.PerfEventAttr} describes one, {@link
 * dev.plumb.linux.perf.PerfEvent} opens it. Start at the latter. {@code bpf}, {@code process},
 * {@code collect} and {@code cli} use this room.
 */
package dev.plumb.linux.perf;
