package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.SymbolTable;
import java.util.Arrays;
import java.util.Optional;

/**
 * Makes a {@link PltNames.Table} of the sections {@code .plt}, {@code .plt.sec} and {@code
 * .plt.got}. Each entry jumps to an address that it loads from a slot; the relocation that fills
 * the slot names the function. The instructions are decoded, because linkers lay the table out in
 * many ways: with and without lazy binding, landing pads (endbr, bti) and padding.
 */
final class PltReader {
  private static final long MAX_SECTION = 16L << 20;

  private static final int ENDBR64 = 0xfa1e0ff3;
  private static final int ENDBR32 = 0xfb1e0ff3;
  private static final int BTI_C = 0xd503245f;

  private final ElfFile elf;
  private final PltSlots slots;
  private final Optional<SymbolTable> symbols;
  private final long base;
  private final long gotBase;
  private int[] starts = new int[64];
  private int[] names = new int[64];
  private int count;

  private PltReader(ElfFile elf, Optional<Section> dynamic, long base) {
    this.elf = elf;
    this.slots = PltSlots.of(elf);
    this.symbols = dynamic.map(elf::symbols);
    this.base = base;
    this.gotBase =
        elf.section(".got.plt").or(() -> elf.section(".got")).map(Section::elfAddress).orElse(0L);
  }

  static boolean isPlt(Section section) {
    return section.type() == Section.SHT_PROGBITS
        && (section.flags() & Section.SHF_EXECINSTR) != 0
        && section.size() > 0
        && section.size() <= MAX_SECTION
        && section.elfAddress() >= 0
        && switch (section.name()) {
          case ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" -> true;
          default -> false;
        };
  }

  /**
   * The entries of a file.
   *
   * @param dynamic its {@code .dynsym}
   * @param base ELF address of the first of these sections
   * @param strings the names of {@code dynamic}
   */
  static PltNames.Table read(ElfFile elf, Optional<Section> dynamic, long base, ElfBytes strings) {
    PltReader reader = new PltReader(elf, dynamic, base);
    for (Section section : elf.sections()) {
      if (isPlt(section) && section.elfAddress() - base <= Integer.MAX_VALUE - MAX_SECTION) {
        reader.read(section);
      }
    }
    return reader.table(strings);
  }

  private void read(Section section) {
    ElfBytes code = elf.bytes(section);
    int step = elf.machine() == ElfFile.EM_AARCH64 ? 4 : 8;
    for (long at = 0; at < code.size() && count < PltSlots.MAX; at += step) {
      int target = target(code, at, section.elfAddress() + at);
      int name = target <= 0 ? target : nameOf(target);
      if (name != 0) {
        if (count == starts.length) {
          starts = Arrays.copyOf(starts, 2 * count);
          names = Arrays.copyOf(names, 2 * count);
        }
        starts[count] = (int) (section.elfAddress() + at - base);
        names[count++] = name;
      }
    }
  }

  /** Where its name is; or 0, where every string table has an empty name. */
  private int nameOf(int symbol) {
    if (symbols.isEmpty() || symbol >= symbols.get().size()) {
      return 0;
    }
    long offset = symbols.get().nameOffset(symbol);
    return offset < Math.min(Integer.MAX_VALUE, symbols.get().strings().size()) ? (int) offset : 0;
  }

  /** The target of an entry that starts there; 0 if none does. */
  private int target(ElfBytes code, long at, long elfAddress) {
    return switch (elf.machine()) {
      case ElfFile.EM_X86_64, ElfFile.EM_386 -> onX86(code, at, elfAddress);
      case ElfFile.EM_AARCH64 -> onArm(code, at, elfAddress);
      default -> 0;
    };
  }

  /**
   * {@code jmp *slot} is {@code ff 25}: relative to the next instruction on x86-64, absolute on
   * i386, there also {@code ff a3}, relative to the GOT. It may follow endbr and a bnd prefix. Lazy
   * entries of a table in two parts are {@code push number} (68) and a jump.
   */
  private int onX86(ElfBytes code, long entry, long elfAddress) {
    long at = entry;
    boolean wide = elf.machine() == ElfFile.EM_X86_64;
    if (i32(code, at) == (wide ? ENDBR64 : ENDBR32)) {
      at += 4;
    }
    if (u8(code, at) == 0x68) {
      return slots.targetOfLazy(wide ? i32(code, at + 1) : i32(code, at + 1) / 8);
    }
    if (u8(code, at) == 0xf2) {
      at++;
    }
    if (u8(code, at) != 0xff || at + 6 > code.size()) {
      return 0;
    }
    long operand = code.i32(at + 2);
    return switch (code.u8(at + 1)) {
      case 0x25 ->
          slots.targetOf(wide ? elfAddress + (at - entry) + 6 + operand : operand & 0xffff_ffffL);
      case 0xa3 -> wide ? 0 : slots.targetOf(gotBase + operand & 0xffff_ffffL);
      default -> 0;
    };
  }

  /** {@code adrp x16, page; ldr x17, [x16, #offset]}, which may follow {@code bti c}. */
  private int onArm(ElfBytes code, long entry, long elfAddress) {
    long at = i32(code, entry) == BTI_C ? entry + 4 : entry;
    int adrp = i32(code, at);
    int ldr = i32(code, at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) {
      return 0;
    }
    long high = (long) (adrp << 8) >> 13 << 2; // bits 23 to 5, signed
    long pages = high | adrp >>> 29 & 3;
    long page = elfAddress + (at - entry) & ~0xfffL;
    return slots.targetOf(page + (pages << 12) + ((ldr >>> 10 & 0xfff) << 3));
  }

  /** 0 beyond the end. */
  private static int i32(ElfBytes code, long at) {
    return at + 4 <= code.size() ? code.i32(at) : 0;
  }

  private static int u8(ElfBytes code, long at) {
    return at < code.size() ? code.u8(at) : 0;
  }

  /** Sorts the entries: in some files the sections are not in the order of their addresses. */
  private PltNames.Table table(ElfBytes strings) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = (long) starts[i] << 32 | i;
    }
    Arrays.sort(keys);
    int[] sortedStarts = new int[count];
    int[] sortedNames = new int[count];
    for (int i = 0; i < count; i++) {
      sortedStarts[i] = (int) (keys[i] >>> 32);
      sortedNames[i] = names[(int) keys[i]];
    }
    return new PltNames.Table(base, sortedStarts, sortedNames, slots.resolvers(), strings);
  }
}
