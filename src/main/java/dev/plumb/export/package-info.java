/**
 * One class a format. A writer takes a {@link dev.plumb.profile.Recording}, a reader gives one.
 *
 * <p>Start at {@link dev.plumb.export.Formats}: it chooses by a file's ending, or by its content
 * when reading. {@link dev.plumb.export.OutputFile} is the one place that puts files down. The page
 * and the still picture take their script and style from {@code web/flame} among the resources.
 */
package dev.plumb.export;
