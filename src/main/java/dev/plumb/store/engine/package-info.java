/**
 * The store itself: {@link dev.plumb.store.engine.Store} opens a folder and joins the other rooms
 * of {@code store}. Any package may use {@code Store}; nothing in {@code store} may use this
 * package.
 */
package dev.plumb.store.engine;
