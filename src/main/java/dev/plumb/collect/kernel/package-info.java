/**
 * The border between the recorder and its BPF programs.
 *
 * <p>Start at {@link dev.plumb.collect.kernel.KernelPrograms}, which loads and attaches objects
 * that share their maps. {@link dev.plumb.collect.kernel.Records} has the layouts of {@code
 * plumb.h}, {@link dev.plumb.collect.kernel.KernelSums} reads the maps in which the kernel side
 * adds events up, {@link dev.plumb.collect.kernel.Counter} lists its counters. For {@code
 * dev.plumb.collect} alone.
 */
package dev.plumb.collect.kernel;
