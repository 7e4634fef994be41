/**
 * Hash tables of primitives that number their keys: each distinct key gets the next number from 0,
 * and the same key the same number again. Further columns are plain arrays, indexed by that number.
 *
 * <p>Start at {@link dev.plumb.table.LongIndex}. {@link dev.plumb.table.PairIndex} numbers pairs of
 * ints, {@link dev.plumb.table.LongIntIndex} keys of 96 bits. For any package; this one uses none.
 * Keys that were chosen to collide make these tables slow: where an adversary chooses them, bound
 * the probing, as {@code symbols.jit.CodeNumbers} does.
 */
package dev.plumb.table;
