/**
 * Commands on what the store holds: {@code query}, {@code sql}, {@code export}. Start at {@code
 * StoreCommand}.
 */
package dev.plumb.cli.history;
