/**
 * Names for raw stacks: {@link dev.plumb.collect.naming.Naming} when a recording is over or cut,
 * {@link dev.plumb.collect.naming.EarlyNames} beside it, on a thread of its own. For {@code
 * dev.plumb.collect} alone.
 */
package dev.plumb.collect.naming;
