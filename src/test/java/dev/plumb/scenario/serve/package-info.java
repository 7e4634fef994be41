/**
 * {@code serve} and {@code agent} as processes: started, queried, killed, started again. Start at
 * {@code ServeCommandTest}.
 */
package dev.plumb.scenario.serve;
