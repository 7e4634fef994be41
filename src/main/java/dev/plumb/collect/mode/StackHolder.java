package dev.plumb.collect.mode;

/**
 * A mode that holds ids of stacks for longer than an event, in the maps of its programs or in its
 * own tables.
 */
public interface StackHolder {
  /**
   * Called before the recorder forgets the stacks that were not looked up for a while: looks up
   * each stack that this mode still holds.
   *
   * @param meanwhile to be run now and then if that takes long
   */
  void meetHeld(Runnable meanwhile);
}
