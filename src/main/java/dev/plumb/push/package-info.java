/** To a Pyroscope or an OpenTelemetry back end; what cannot be sent yet waits on disk. */
package dev.plumb.push;
