/**
 * Lets other commands ask a store that a process has open: by a socket in the store's folder, for
 * its owner and root only.
 *
 * <p>{@link dev.plumb.server.local.StoreSocketServer} answers, {@link dev.plumb.server.local.StoreSocketClient}
 * asks; {@code StoreSocketProtocol} is what goes between them. A connection is for one question:
 *
 * <pre>
 *   → magic:4 question:1 …           the arguments of the method, in their order
 *   ← 0 …                            what it returns; recordings as .plumb
 *   ← 1 reason:1 message             it threw a StoreException
 * </pre>
 */
package dev.plumb.server.local;
