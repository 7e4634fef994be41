/**
 * ELF files: sections, segments, symbols, notes, build ids. A total parser: on any input it answers
 * or throws {@link dev.plumb.elf.ElfException}, and it never allocates by a length that the file
 * claims but does not have, because the files of watched processes are hostile.
 *
 * <p>Start at {@link dev.plumb.elf.ElfFile}. Uses the JDK only, and aircompressor for zstd.
 */
package dev.plumb.elf;
