/**
 * Which query runs when, and how much memory it may take.
 *
 * <p>Start at {@link dev.plumb.server.schedule.QueryScheduler}. It has one {@code FairScheduler}
 * for heavy queries and one for light ones; {@code QueryMemory} says how many run at once and what
 * each may take, and {@code DisconnectWatch} ends queries whose client has gone. {@code
 * ApiScheduling} applies it to the page's API; other services call it themselves.
 */
package dev.plumb.server.schedule;
