/**
 * The modes that measure memory: allocators of programs, at full detail and estimated, and the
 * kernel's own.
 *
 * <p>Start at {@link dev.plumb.collect.memory.MemoryCollector}. {@link
 * dev.plumb.collect.memory.Allocators} finds the files that have an allocator, {@link
 * dev.plumb.collect.memory.ChurnEstimate} turns short windows into an estimate. For {@code
 * dev.plumb.collect} alone.
 */
package dev.plumb.collect.memory;
