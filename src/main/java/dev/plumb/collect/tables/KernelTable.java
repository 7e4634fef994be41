package dev.plumb.collect.tables;

import dev.plumb.collect.tables.TableMemory.Run;
import dev.plumb.unwind.rule.UnwindRule;
import dev.plumb.unwind.rule.UnwindRules;
import dev.plumb.unwind.rule.UnwindTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An unwind table in the kernel side's memory. The code is divided into pages of 16 KB; the rows of
 * a page are contiguous, and the first is at the beginning of the page. An index finds the pages;
 * it covers at most {@link #PIECE_PAGES} pages, so large files have several.
 */
final class KernelTable implements UnwindRules {
  static final int PAGE_BITS = 14;
  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
  static final int PIECE_PAGES = 4096;

  /** For the kernel side, every rule says where rbx is. */
  private static final long RBX_LOST = (long) UnwindRule.RBX_LOST << 58;

  private static final int MAX_RULES = TableMemory.CELLS / 2;

  /** A part of the code and its index. */
  record Piece(long firstElfAddress, long endElfAddress, Run index) {}

  private final TableMemory memory;
  private final List<Run> runs;
  private final List<Piece> pieces;
  private final Run rules;

  private KernelTable(Writing written) {
    this.memory = written.memory;
    this.runs = written.runs;
    this.pieces = written.pieces;
    this.rules = written.rules;
  }

  /** Writes a table that has rows; empty if there is no room. */
  static Optional<KernelTable> write(UnwindTable table, TableMemory memory) {
    Writing writing = new Writing(memory, table);
    if (writing.writeRules() && writing.writePieces()) {
      return Optional.of(new KernelTable(writing));
    }
    writing.runs.forEach(memory::free);
    return Optional.empty();
  }

  @Override
  public long packedRuleAt(long elfAddress) {
    for (Piece piece : pieces) {
      if (elfAddress >= piece.firstElfAddress && elfAddress < piece.endElfAddress) {
        return rule(numberAt(piece, elfAddress - piece.firstElfAddress));
      }
    }
    return rule(UnwindTable.NO_RULE);
  }

  /** The number of the rule of the last row that does not begin after a place in a piece. */
  private int numberAt(Piece piece, long offset) {
    long page = memory.pair(piece.index.chunk(), piece.index.first() + 2 * (offset >> PAGE_BITS));
    int first = (int) (page >>> 32 & 0xffff);
    int low = first;
    int high = first + (int) (page >>> 48) - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if ((memory.get((int) page, middle) & PAGE_MASK) <= (offset & PAGE_MASK)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return memory.get((int) page, low) >>> PAGE_BITS;
  }

  private long rule(int number) {
    return memory.pair(rules.chunk(), rules.first() + 2L * number);
  }

  /** Each says that it is lost, at least. */
  @Override
  public boolean followsRbx() {
    return true;
  }

  List<Piece> pieces() {
    return pieces;
  }

  Run rules() {
    return rules;
  }

  void free() {
    runs.forEach(memory::free);
    runs.clear();
  }

  /** A table on its way there; what was written does not need it any more. */
  private static final class Writing {
    private final TableMemory memory;
    private final UnwindTable table;
    private final List<Run> runs = new ArrayList<>();
    private final List<Piece> pieces = new ArrayList<>();
    private Run rules;

    Writing(TableMemory memory, UnwindTable table) {
      this.memory = memory;
      this.table = table;
    }

    private Optional<Run> allocate(int cells) {
      Optional<Run> run = memory.allocate(cells);
      run.ifPresent(runs::add);
      return run;
    }

    private boolean writeRules() {
      int count = Math.min(table.rules(), MAX_RULES);
      Optional<Run> run = allocate(2 * count);
      if (run.isEmpty()) {
        return false;
      }
      rules = run.get();
      long[] packed = new long[count];
      for (int i = 0; i < count; i++) {
        packed[i] = table.packedRule(i) | (table.followsRbx() ? 0 : RBX_LOST);
      }
      memory.setPairs(rules, packed);
      return true;
    }

    private boolean writePieces() {
      long first = table.elfAddress(0) >>> PAGE_BITS;
      long last = table.elfAddress(table.rows() - 1) >>> PAGE_BITS;
      for (long page = first; page <= last; page += PIECE_PAGES) {
        int count = (int) Math.min(PIECE_PAGES, last - page + 1);
        Optional<Run> index = allocate(2 * count);
        if (index.isEmpty() || !writePages(index.get(), page, count)) {
          return false;
        }
        pieces.add(new Piece(page << PAGE_BITS, page + count << PAGE_BITS, index.get()));
      }
      return true;
    }

    /** As many pages as fit into one run at a time. */
    private boolean writePages(Run index, long firstPage, int count) {
      long[] places = new long[count];
      int page = 0;
      while (page < count) {
        int end = page;
        int cells = 0;
        while (end < count && cells + cells(firstPage + end) <= TableMemory.CELLS) {
          cells += cells(firstPage + end++);
        }
        Optional<Run> rows = allocate(cells);
        if (rows.isEmpty()) {
          return false;
        }
        // Rows are many, and a JVM that has just started takes long for each word outside its heap.
        int[] packed = new int[cells];
        int at = 0;
        for (; page < end; page++) {
          int written = packPage(packed, at, firstPage + page);
          long place = rows.get().chunk() | (long) (rows.get().first() + at) << 32;
          places[page] = place | (long) written << 48;
          at += written;
        }
        memory.setAll(rows.get(), packed);
      }
      memory.setPairs(index, places);
      return true;
    }

    /** The rows that begin in a page, and the one that it begins with. */
    private int cells(long page) {
      return lastRow(page) - firstRow(page) + 1;
    }

    /** The row that holds at the beginning of a page; -1 if that is before the first. */
    private int firstRow(long page) {
      return table.find(page << PAGE_BITS);
    }

    private int lastRow(long page) {
      return table.find((page + 1 << PAGE_BITS) - 1);
    }

    private int packPage(int[] cells, int at, long page) {
      long start = page << PAGE_BITS;
      int last = lastRow(page);
      int cell = at;
      for (int row = firstRow(page); row <= last; row++) {
        long offset = row < 0 ? 0 : Math.max(table.elfAddress(row) - start, 0);
        cells[cell++] = (int) offset | rule(row) << PAGE_BITS;
      }
      return cell - at;
    }

    private int rule(int row) {
      if (row < 0) {
        return UnwindTable.NO_RULE;
      }
      int number = table.ruleNumber(row);
      return number < MAX_RULES ? number : UnwindTable.UNSUPPORTED_RULE;
    }
  }
}
