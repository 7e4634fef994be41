/**
 * The allocators of programs: which files have one ({@link dev.plumb.collect.alloc.Allocators}),
 * and where probes on its functions cost least ({@link dev.plumb.collect.alloc.CheapPlace}); and
 * what they do in all, by what is seen now and then ({@link
 * dev.plumb.collect.alloc.ChurnEstimate}).
 */
package dev.plumb.collect.alloc;
