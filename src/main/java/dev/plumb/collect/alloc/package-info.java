/**
 * The allocators of programs: which files have one ({@link dev.plumb.collect.alloc.Allocators}),
 * and where probes on its functions cost least ({@link dev.plumb.collect.alloc.CheapPlace}).
 */
package dev.plumb.collect.alloc;
