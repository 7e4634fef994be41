/**
 * Names for raw stacks: {@link dev.plumb.collect.naming.Naming} when a recording ends or is cut,
 * {@link dev.plumb.collect.naming.EarlyNames} during the recording, on a thread of its own. For
 * {@code dev.plumb.collect} alone.
 */
package dev.plumb.collect.naming;
