/**
 * The command line. Start at {@link dev.plumb.cli.Plumb}, which lists the commands; each is one
 * class in the room of its kind:
 *
 * <ul>
 *   <li>{@code record}: {@code record} and {@code top}.
 *   <li>{@code serve}: {@code serve} and {@code agent}, and the processes they start.
 *   <li>{@code files}: commands on recordings in files.
 *   <li>{@code history}: commands on the store.
 *   <li>{@code inspect}: {@code stack}, {@code symbols}, {@code list}.
 *   <li>{@code doctor}: what works on this machine.
 *   <li>{@code options}: options that several commands share; {@code run}: what commands share that
 *       run for long; {@code text}: tables, trees, colours and units; {@code outcome}: exit codes,
 *       and what a failure says.
 * </ul>
 */
package dev.plumb.cli;
