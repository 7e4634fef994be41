/**
 * Lets other commands query a store that a process has open, through a Unix socket in the store's
 * folder. Only the folder's owner and root are answered.
 *
 * <p>{@link dev.plumb.server.local.StoreSocketServer} answers, {@link
 * dev.plumb.server.local.StoreSocketClient} asks; {@code StoreSocketProtocol} says what goes over
 * the socket. A connection carries one query:
 *
 * <pre>
 *   → magic:4 query:1 …              the arguments of the method, in their order
 *   ← 0 …                            what it returns; recordings as .plumb
 *   ← 1 reason:1 message             it threw a StoreException
 * </pre>
 */
package dev.plumb.server.local;
