package dev.plumb.collect.mode;

import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.process.ProcessFinder;

/** What the recorder offers to a mode. */
public record CollectorContext(
    RecordOptions options,
    SampleSink samples,
    RawStacks stacks,
    RawProcesses processes,
    ProcessFinder finder,
    Unwinding unwinding) {}
