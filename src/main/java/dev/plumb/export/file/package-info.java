/**
 * The contract of a format ({@link dev.plumb.export.file.RecordingReader}, {@link
 * dev.plumb.export.file.RecordingWriter}), and what formats share: options, warnings, files that
 * are complete or not there.
 */
package dev.plumb.export.file;
