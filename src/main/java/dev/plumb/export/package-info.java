/**
 * Recordings as files. Start at {@link dev.plumb.export.Formats}, which knows each format and tells
 * by the contents what a file is; one room per family of formats. The model is {@code
 * dev.plumb.profile}.
 */
package dev.plumb.export;
