/**
 * CPU samples: how many, with whole stacks and right names, also of programs that make it hard.
 * Start at {@code RecordCpuTest}, then {@code RecordUnwindTest}.
 */
package dev.plumb.scenario.cpu;
