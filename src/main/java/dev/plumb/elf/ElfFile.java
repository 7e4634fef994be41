package dev.plumb.elf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An ELF file, mapped, 32 or 64 bit, either byte order.
 *
 * <p>If the section table is broken, {@link #sections} throws; the other methods do what they can,
 * just as the kernel still runs the file.
 *
 * <p>Memory that this class gives out ({@link #data}, {@link #bytes}, a note's content) is a view
 * on the file. If somebody truncates it, reading that memory throws InternalError, at once or a
 * little later: read it within {@link LostPages#guard}. All methods here and of {@link SymbolTable}
 * do so themselves.
 */
public final class ElfFile implements AutoCloseable {
  public static final int ET_REL = 1;
  public static final int ET_EXEC = 2;
  public static final int ET_DYN = 3;
  public static final int ET_CORE = 4;
  public static final int EM_386 = 3;
  public static final int EM_X86_64 = 62;
  public static final int EM_AARCH64 = 183;
  public static final int EM_BPF = 247;

  private static final int MAX_DYNAMIC = 1 << 16;

  private final String name;
  private final Optional<Arena> mapping;
  private final ElfBytes file;
  private final ByteOrder order;
  private final ElfHeader header;
  private final List<Segment> segments;
  private final Optional<SectionTable> sections;
  private final String sectionProblem;
  private final Map<Integer, Decompressed> decompressed = new HashMap<>();

  /** A section that was decompressed, and what owns its memory. */
  private record Decompressed(MemorySegment bytes, Arena arena) {}

  private ElfFile(MemorySegment bytes, String name, Optional<Arena> mapping) {
    this.name = name;
    this.mapping = mapping;
    this.file = ElfHeader.identify(bytes, name);
    this.order = file.u8(5) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    this.header = ElfHeader.read(file);
    this.segments = SegmentTable.read(file, header);
    Optional<SectionTable> table = Optional.empty();
    String problem = "";
    try {
      table = Optional.of(SectionTable.read(file, header));
    } catch (ElfException e) {
      problem = e.getMessage();
    }
    this.sections = table;
    this.sectionProblem = problem;
  }

  /** Maps the file; only the headers are copied to the heap. */
  public static ElfFile open(Path path) {
    return open(path, Arena.ofShared());
  }

  /**
   * The same for the calling thread alone. To close shared memory, the JVM waits for all of its
   * threads (SharedSession in the JDK), and on a busy machine each of them may wait long for a CPU.
   */
  public static ElfFile openConfined(Path path) {
    return open(path, Arena.ofConfined());
  }

  private static ElfFile open(Path path, Arena arena) {
    if (!Files.isRegularFile(path)) {
      throw new ElfException(path + ": not a regular file");
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return LostPages.guard(
          path.toString(), () -> new ElfFile(bytes, path.toString(), Optional.of(arena)));
    } catch (IOException e) {
      arena.close();
      throw new ElfException(path + ": cannot be mapped: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** Reads from memory that the caller keeps alive; {@code name} is for messages. */
  public static ElfFile of(MemorySegment bytes, String name) {
    return LostPages.guard(name, () -> new ElfFile(bytes.asReadOnly(), name, Optional.empty()));
  }

  /** The path with which it was opened, or the name given to it. */
  public String name() {
    return name;
  }

  public boolean is64() {
    return file.is64();
  }

  public ByteOrder order() {
    return order;
  }

  /** ET_REL 1, ET_EXEC 2, ET_DYN 3, ET_CORE 4. */
  public int type() {
    return header.type();
  }

  /** EM_X86_64 62, EM_AARCH64 183, EM_BPF 247, … */
  public int machine() {
    return header.machine();
  }

  /** The ELF address at which the program starts, or 0. */
  public long entryPoint() {
    return header.entry();
  }

  /** Decoded as they are asked for: keep those that are needed often. */
  public List<Section> sections() {
    return table().list();
  }

  /** The first section of that name. */
  public Optional<Section> section(String sectionName) {
    return table().find(sectionName);
  }

  /** Decoded as they are asked for: keep those that are needed often. */
  public List<Segment> segments() {
    return segments;
  }

  /** Where a byte of the file is loaded, by the PT_LOAD segments; empty if it is not loaded. */
  public OptionalLong elfAddressAt(long fileOffset) {
    for (Segment segment : segments) {
      long into = fileOffset - segment.fileOffset();
      if (segment.type() == Segment.PT_LOAD
          && into >= 0
          && Long.compareUnsigned(into, segment.fileSize()) < 0) {
        return OptionalLong.of(segment.elfAddress() + into);
      }
    }
    return OptionalLong.empty();
  }

  /** The section's bytes, decompressed if need be; empty for SHT_NOBITS. */
  public MemorySegment data(Section section) {
    return bytes(section).segment();
  }

  /** The segment's bytes in the file. */
  public MemorySegment data(Segment segment) {
    return bytes(segment).segment();
  }

  /** The section's bytes, decompressed if need be, to be read in the file's byte order. */
  public ElfBytes bytes(Section section) {
    if (section.type() == Section.SHT_NOBITS) {
      return file.slice(0, 0, section.name());
    }
    ElfBytes stored = file.slice(section.fileOffset(), section.size(), section.name());
    return file.guard(() -> stored.with(decompressedIfNeeded(section, stored)));
  }

  /** A section that is compressed; empty if it is not, or its header is damaged. */
  public Optional<CompressedSection> compressed(Section section) {
    if (section.type() == Section.SHT_NOBITS) {
      return Optional.empty();
    }
    ElfBytes stored = file.slice(section.fileOffset(), section.size(), section.name());
    return file.guard(
        () ->
            isCompressed(section, stored)
                ? Decompression.section(section, stored, isStandard(section))
                : Optional.empty());
  }

  /**
   * Uses these bytes as the decompressed content of a section from now on.
   *
   * @param arena owns them; closed together with this file
   */
  public void useDecompressed(Section section, MemorySegment content, Arena arena) {
    Decompressed before =
        decompressed.put(section.index(), new Decompressed(content.asReadOnly(), arena));
    if (before != null) {
      before.arena().close();
    }
  }

  private static boolean isStandard(Section section) {
    return (section.flags() & Section.SHF_COMPRESSED) != 0;
  }

  private static boolean isCompressed(Section section, ElfBytes stored) {
    return isStandard(section)
        || section.name().startsWith(".zdebug_") && Decompression.isOld(stored);
  }

  private MemorySegment decompressedIfNeeded(Section section, ElfBytes stored) {
    if (!isCompressed(section, stored)) {
      return stored.segment();
    }
    boolean standard = isStandard(section);
    Decompressed known = decompressed.get(section.index());
    if (known != null) {
      return known.bytes();
    }
    Arena arena = Arena.ofShared();
    try {
      MemorySegment bytes =
          standard ? Decompression.section(stored, arena) : Decompression.old(stored, arena);
      decompressed.put(section.index(), new Decompressed(bytes, arena));
      return bytes;
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** The segment's bytes in the file, to be read in its byte order. */
  public ElfBytes bytes(Segment segment) {
    return file.slice(
        segment.fileOffset(), segment.fileSize(), "segment of type " + segment.type());
  }

  /** The symbols of a SHT_SYMTAB or SHT_DYNSYM section. */
  public SymbolTable symbols(Section section) {
    if (section.type() != Section.SHT_SYMTAB && section.type() != Section.SHT_DYNSYM) {
      throw new ElfException(name + ": " + section.name() + " is not a symbol table");
    }
    List<Section> all = sections();
    if (section.link() <= 0 || section.link() >= all.size()) {
      throw new ElfException(
          name + ": " + section.name() + " names its strings in section " + section.link());
    }
    return new SymbolTable(
        bytes(section),
        section.entrySize(),
        bytes(all.get(section.link())),
        extendedSections(section.index()));
  }

  /** Only files of more than 65 280 sections have it. */
  private Optional<ElfBytes> extendedSections(int symbolTable) {
    for (Section section : sections()) {
      if (section.type() == Section.SHT_SYMTAB_SHNDX && section.link() == symbolTable) {
        return Optional.of(bytes(section));
      }
    }
    return Optional.empty();
  }

  /** The notes in all note sections, or in the note segments if there are no sections. */
  public List<Note> notes() {
    return file.guard(() -> Notes.read(noteRuns(), n -> true, Notes.MAX_NOTES + 1));
  }

  /** The GNU build id in hex. */
  public Optional<String> buildId() {
    return file.guard(() -> Notes.buildId(noteRuns(), file));
  }

  /** The build id that Go's linker writes: text, four parts with {@code /} between. */
  public Optional<String> goBuildId() {
    return file.guard(() -> Notes.goBuildId(noteRuns(), file));
  }

  /** The statically defined trace points. */
  public List<UsdtNote> usdtNotes() {
    long base = sections.flatMap(s -> s.find(".stapsdt.base")).map(Section::elfAddress).orElse(0L);
    return file.guard(() -> Notes.usdt(noteRuns(), file, base));
  }

  /** Opens one after the other, so that a broken one does not hide those before it. */
  private List<Notes.Run> noteRuns() {
    if (sections.isPresent() && !sections.get().list().isEmpty()) {
      List<Section> found =
          sections.get().list().stream().filter(s -> s.type() == Section.SHT_NOTE).toList();
      return new HeaderList<>(
          found.size(), i -> new Notes.Run(bytes(found.get(i)), found.get(i).alignment()));
    }
    List<Segment> found = segments.stream().filter(s -> s.type() == Segment.PT_NOTE).toList();
    return new HeaderList<>(
        found.size(), i -> new Notes.Run(bytes(found.get(i)), found.get(i).alignment()));
  }

  /** The dynamic section up to DT_NULL; empty if there is none. */
  public List<DynamicEntry> dynamic() {
    return dynamicBytes().map(bytes -> bytes.guard(() -> dynamic(bytes))).orElse(List.of());
  }

  private List<DynamicEntry> dynamic(ElfBytes bytes) {
    List<DynamicEntry> entries = new ArrayList<>();
    int word = is64() ? 8 : 4;
    for (long at = 0; bytes.size() - at >= 2L * word; at += 2L * word) {
      long tag = bytes.word(at);
      if (tag == DynamicEntry.DT_NULL) {
        break;
      }
      if (entries.size() == MAX_DYNAMIC) {
        throw new ElfException(name + ": more than " + MAX_DYNAMIC + " dynamic entries");
      }
      entries.add(new DynamicEntry(tag, bytes.word(at + word)));
    }
    return Collections.unmodifiableList(entries);
  }

  /** Looks at sections first: the segments of a separate debug file point at missing bytes. */
  private Optional<ElfBytes> dynamicBytes() {
    if (sections.isPresent() && !sections.get().list().isEmpty()) {
      return sections.get().list().stream()
          .filter(s -> s.type() == Section.SHT_DYNAMIC)
          .findFirst()
          .map(this::bytes);
    }
    return segments.stream()
        .filter(s -> s.type() == Segment.PT_DYNAMIC)
        .findFirst()
        .map(this::bytes);
  }

  private SectionTable table() {
    return sections.orElseThrow(() -> new ElfException(sectionProblem));
  }

  /** Gives back the memory that holds pages of the file; they are read again when needed. */
  public void unload() {
    mapping.ifPresent(m -> file.segment().unload());
    for (Decompressed section : decompressed.values()) {
      if (section.bytes().isMapped()) {
        section.bytes().unload();
      }
    }
  }

  /** Unmaps a file that {@link #open} mapped; memory segments it gave out become invalid. */
  @Override
  public void close() {
    decompressed.values().forEach(d -> d.arena().close());
    decompressed.clear();
    mapping.filter(m -> m.scope().isAlive()).ifPresent(Arena::close);
  }
}
