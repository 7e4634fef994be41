/**
 * {@code plumb serve} and {@code plumb agent}. Start at {@link dev.plumb.cli.serve.ServeCommand},
 * the process that records, and at {@link dev.plumb.cli.serve.StoreServer}, the process that stores
 * and answers; {@link dev.plumb.cli.serve.ServerProcess} starts the second from the first. {@link
 * dev.plumb.cli.serve.ContinuousRecording} is a recording that goes on for days.
 */
package dev.plumb.cli.serve;
