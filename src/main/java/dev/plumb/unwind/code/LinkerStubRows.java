package dev.plumb.unwind.code;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rows for the stubs through which a file calls functions in other files. GNU ld describes them,
 * lld does not, and no linker describes those of static programs. Their code is always one of
 * these:
 *
 * <pre>
 * lazy header  ff 35 …… …… ff 25 …… ……              push; jmp
 * lazy stub    ff 25 …… …… 68 …… …… e9 …… ……        jmp; push; jmp
 *              f3 0f 1e fa 68 …… …… (f2) e9 …… ……   endbr64; push; jmp
 * plain stub   ff 25 …… …… 66 90                    jmp, 8 bytes
 *              f3 0f 1e fa (f2) ff 25 …… ……         endbr64; jmp, 16 bytes
 * </pre>
 *
 * None of them changes rbp. Other code is ignored.
 */
public final class LinkerStubRows {
  private static final List<String> NAMES = List.of(".plt", ".iplt", ".plt.got", ".plt.sec");
  private static final int MAX_SIZE = 1 << 20;
  private static final int ENTRY = 16;
  private static final int HALF = 8;
  private static final int PUSH_IN_LAZY = 11;
  private static final int PUSH_IN_TRACKED = 9;
  private static final int PUSH_IN_HEADER = 6;
  private static final int JMP = 0x25ff;
  private static final int PUSH_WORD = 0x35ff;
  private static final int PUSH = 0x68;
  private static final int ENDBR64 = 0xfa1e0ff3;

  private final CodeRange code;
  private final RuleNumbers numbers;
  private final List<Stubs> sections = new ArrayList<>();

  /** A section's bytes. */
  private record Stubs(long elfAddress, byte[] bytes) {}

  /**
   * @param described what is described already: sections that it covers completely are left out
   */
  public LinkerStubRows(ElfFile elf, CodeRange code, RuleNumbers numbers, Rows described) {
    this.code = code;
    this.numbers = numbers;
    for (Section section : undescribed(sections(elf), described)) {
      read(elf, section);
    }
    sections.sort(Comparator.comparingLong(s -> start(s.elfAddress)));
  }

  private List<Section> sections(ElfFile elf) {
    try {
      return NAMES.stream()
          .flatMap(name -> elf.section(name).stream())
          .filter(s -> s.type() == Section.SHT_PROGBITS)
          .filter(s -> s.size() > 0 && s.size() <= MAX_SIZE)
          .filter(s -> code.contains(s.elfAddress(), s.elfAddress() + s.size()))
          .toList();
    } catch (ElfException e) {
      return List.of(); // a file without stubs
    }
  }

  private Set<Section> undescribed(List<Section> all, Rows described) {
    Set<Section> found = new HashSet<>();
    if (!all.isEmpty()) {
      described.forEachGap(
          code.elfEnd() - code.elfStart(),
          (gapStart, gapEnd) -> {
            for (int i = 0; i < all.size(); i++) { // gaps are so many that iterators count
              Section section = all.get(i);
              long start = start(section.elfAddress());
              if (gapStart < start + section.size() && start < gapEnd) {
                found.add(section);
              }
            }
          });
    }
    return found;
  }

  private long start(long elfAddress) {
    return Integer.toUnsignedLong(code.offset(elfAddress));
  }

  private void read(ElfFile elf, Section section) {
    try {
      ElfBytes stored = elf.bytes(section);
      byte[] bytes = new byte[(int) Math.min(MAX_SIZE, stored.size())];
      LostPages.guard(
          elf.name(),
          () -> {
            stored.copy(0, bytes, bytes.length);
            return bytes;
          });
      sections.add(new Stubs(section.elfAddress(), bytes));
    } catch (ElfException e) {
      return; // treated as missing
    }
  }

  public boolean isEmpty() {
    return sections.isEmpty();
  }

  public void emit(Rows.Taker sink) {
    long end = 0;
    for (Stubs section : sections) {
      long start = start(section.elfAddress);
      if (start >= end) {
        emit(section, sink);
        end = start + section.bytes.length;
        if (end <= 0xffff_ffffL) {
          sink.add((int) end, RuleNumbers.NONE);
        }
      }
    }
  }

  private void emit(Stubs section, Rows.Taker sink) {
    byte[] b = section.bytes;
    int start = code.offset(section.elfAddress);
    for (int at = 0; at + HALF <= b.length; ) {
      boolean whole = at + ENTRY <= b.length;
      int first = half(b, at);
      if (whole && first == PUSH_WORD && half(b, at + 6) == JMP) {
        sink.add(start + at, number(UnwindRule.CFA_RSP, 16));
        sink.add(start + at + PUSH_IN_HEADER, number(UnwindRule.CFA_RSP, 24));
        at += ENTRY;
      } else if (whole && first == JMP && (b[at + 6] & 0xff) == PUSH) {
        lazy(start + at, section.elfAddress + at, PUSH_IN_LAZY, sink);
        at += ENTRY;
      } else if (first == JMP) {
        sink.add(start + at, number(UnwindRule.CFA_RSP, 8));
        at += HALF;
      } else if (whole && (first | half(b, at + 2) << 16) == ENDBR64) {
        if ((b[at + 4] & 0xff) == PUSH) {
          lazy(start + at, section.elfAddress + at, PUSH_IN_TRACKED, sink);
        } else {
          boolean jumps = half(b, at + 4) == JMP || half(b, at + 5) == JMP;
          sink.add(start + at, jumps ? number(UnwindRule.CFA_RSP, 8) : RuleNumbers.NONE);
        }
        at += ENTRY;
      } else {
        sink.add(start + at, RuleNumbers.NONE);
        at += HALF;
      }
    }
  }

  /** One rule applies to a whole run of aligned stubs. */
  private void lazy(int start, long elfAddress, int push, Rows.Taker sink) {
    if (elfAddress % ENTRY == 0) {
      sink.add(start, number(UnwindRule.CFA_PLT, push));
    } else {
      sink.add(start, number(UnwindRule.CFA_RSP, 8));
      sink.add(start + push, number(UnwindRule.CFA_RSP, 16));
    }
  }

  private char number(int cfa, int offset) {
    return numbers.number(new UnwindRule(cfa, offset, UnwindRule.RBP_SAME, 0).packed());
  }

  private static int half(byte[] bytes, int at) {
    return bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8;
  }
}
