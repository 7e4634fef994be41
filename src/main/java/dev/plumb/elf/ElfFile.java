package dev.plumb.elf;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An ELF file, mapped, 32 or 64 bit, either byte order. Headers are read when it is opened. */
public final class ElfFile implements AutoCloseable {
  /** Maps the file; nothing is copied to the heap but the headers. */
  public static ElfFile open(Path path) {
    throw new UnsupportedOperationException();
  }

  /** Reads from memory that the caller keeps alive; {@code name} is for messages. */
  public static ElfFile of(MemorySegment bytes, String name) {
    throw new UnsupportedOperationException();
  }

  public boolean is64() {
    throw new UnsupportedOperationException();
  }

  public ByteOrder order() {
    throw new UnsupportedOperationException();
  }

  /** ET_REL 1, ET_EXEC 2, ET_DYN 3, ET_CORE 4. */
  public int type() {
    throw new UnsupportedOperationException();
  }

  /** EM_X86_64 62, EM_AARCH64 183, EM_BPF 247, … */
  public int machine() {
    throw new UnsupportedOperationException();
  }

  public List<Section> sections() {
    throw new UnsupportedOperationException();
  }

  /** The first section of that name. */
  public Optional<Section> section(String name) {
    throw new UnsupportedOperationException();
  }

  public List<Segment> segments() {
    throw new UnsupportedOperationException();
  }

  /** The section's bytes, decompressed if need be; empty for SHT_NOBITS. */
  public MemorySegment data(Section section) {
    throw new UnsupportedOperationException();
  }

  /** The symbols of a SHT_SYMTAB or SHT_DYNSYM section. */
  public SymbolTable symbols(Section section) {
    throw new UnsupportedOperationException();
  }

  /** The notes of all note sections, or of the note segments where there are no sections. */
  public List<Note> notes() {
    throw new UnsupportedOperationException();
  }

  /** The GNU build id in hex. */
  public Optional<String> buildId() {
    throw new UnsupportedOperationException();
  }

  /** Unmaps a file that {@link #open} mapped; segments it gave out are dead then. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
