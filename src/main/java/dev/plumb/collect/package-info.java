/**
 * From kernel events to a {@link dev.plumb.profile.Recording}.
 *
 * <p>Start at {@link dev.plumb.collect.Recorder}, which runs one recording: {@code ProcessTracking}
 * knows the processes, {@code EventReader} reads what the kernel side sends, {@code ActiveModes}
 * hold what is measured, {@code RecordingBuilder} makes profiles of it. Then go on at {@link
 * dev.plumb.collect.mode.Collector}, the contract of a mode; {@link dev.plumb.collect.Modes} lists
 * the modes. The rooms, from the kernel up:
 *
 * <ul>
 *   <li>{@code options}: what to record, and of which processes.
 *   <li>{@code code}: functions, libraries and offsets in the files of programs.
 *   <li>{@code kernel}: the border to the BPF programs: their maps, records and counters.
 *   <li>{@code raw}: stacks and samples as they were taken, without names.
 *   <li>{@code tables}: unwind tables for the kernel side, and stacks that it could not unwind.
 *   <li>{@code naming}: names for raw stacks.
 *   <li>{@code mode}: the contract of a mode, and the modes for CPU, I/O, faults and the like;
 *       {@code wait}, {@code memory} and {@code probe}: the other modes.
 *   <li>{@code stop}: {@code plumb stack}, which stops a process and reads its stacks.
 * </ul>
 */
package dev.plumb.collect;
