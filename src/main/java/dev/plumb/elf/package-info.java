/**
 * ELF files: sections, segments, symbols, notes, build ids. A total parser: on any input it returns
 * a result or throws {@link dev.plumb.elf.ElfException}, and it never allocates memory for a length
 * that the file claims but does not have, because the files of profiled processes may be hostile.
 *
 * <p>Start at {@link dev.plumb.elf.ElfFile}. All packages that read programs use it; it uses only
 * the JDK, and aircompressor for zstd.
 */
package dev.plumb.elf;
