/**
 * Pushes recordings to a Pyroscope or OpenTelemetry receiver; what cannot be sent yet waits on
 * disk.
 *
 * <p>{@link dev.plumb.push.Pusher} takes recordings. An {@code RequestEncoder} makes requests of
 * one, a series for each service ({@code ServiceProfile}); they wait in the {@code RequestSpool},
 * and the {@code RequestSender} says of each whether it was taken, may be taken later or in parts,
 * or never will be.
 */
package dev.plumb.push;
