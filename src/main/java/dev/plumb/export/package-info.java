/**
 * One class a format. A writer takes a {@link dev.plumb.profile.Recording}, a reader gives one;
 * which one serves follows the file's ending ({@code Formats}).
 */
package dev.plumb.export;
