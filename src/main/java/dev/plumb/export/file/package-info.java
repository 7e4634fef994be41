/**
 * The contract of a format ({@link dev.plumb.export.file.Reader}, {@link
 * dev.plumb.export.file.Writer}), and what formats share: options, warnings, files that are
 * complete or not there.
 */
package dev.plumb.export.file;
