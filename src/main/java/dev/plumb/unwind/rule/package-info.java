/**
 * Rows of an unwind table: {@link dev.plumb.unwind.rule.UnwindRule} says how to go from a frame to
 * its caller, {@link dev.plumb.unwind.rule.UnwindTable} has one for each address.
 */
package dev.plumb.unwind.rule;
