/**
 * To a Pyroscope or an OpenTelemetry back end; what cannot be sent yet waits on disk.
 *
 * <p>{@link dev.plumb.push.Pusher} takes recordings. An {@code Encoding} makes requests of one, a
 * series for each service ({@code ServiceProfile}); they wait in the {@code Spool}, and the {@code
 * Sender} says of each whether it was taken, may be taken later or in parts, or never will be.
 */
package dev.plumb.push;
