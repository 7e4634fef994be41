/**
 * Commands on recordings in files: {@code report}, {@code convert}, {@code diff}. Start at {@link
 * dev.plumb.cli.files.FileCommand}.
 */
package dev.plumb.cli.files;
