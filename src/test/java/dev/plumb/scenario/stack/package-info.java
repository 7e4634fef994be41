/**
 * {@code plumb stack}: the stacks are those that elfutils finds, and the process does not notice.
 * Start at {@code StackOracleTest}.
 */
package dev.plumb.scenario.stack;
