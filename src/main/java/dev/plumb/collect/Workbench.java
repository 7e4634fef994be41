package dev.plumb.collect;

import dev.plumb.process.ProcessFinder;

/** What collectors are made with. */
record Workbench(
    RecordOptions options,
    Samples samples,
    RawStacks stacks,
    RawProcesses processes,
    ProcessFinder finder,
    Unwinding unwinding) {}
