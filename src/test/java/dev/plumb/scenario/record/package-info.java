/**
 * What holds for every recording: targets, outputs, signals, missing rights, several modes at once,
 * other tools beside it. Start at {@code RecordBasicsTest}.
 */
package dev.plumb.scenario.record;
