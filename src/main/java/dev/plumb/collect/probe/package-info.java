/**
 * Probes that a user names: what the words mean ({@link dev.plumb.collect.probe.ProbeSpec}), where
 * in a file they lead ({@link dev.plumb.collect.probe.Libraries}, {@link
 * dev.plumb.collect.probe.Functions}, {@link dev.plumb.collect.probe.UsdtSites}), and what their
 * arguments are ({@link dev.plumb.collect.probe.Argument}). Nothing here touches the kernel's
 * probes; {@code ProbeCollector} does.
 */
package dev.plumb.collect.probe;
