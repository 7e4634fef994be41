package dev.plumb.dwarf.cfi;

/** Runs call-frame instructions (DWARF 5 section 6.4.2), which describe a function row by row. */
final class FrameProgram {
  /** Compilers nest one deep, assembler code two. */
  private static final int MAX_SAVED = 32;

  private static final int ADVANCE_LOC = 0x40;
  private static final int OFFSET = 0x80;
  private static final int RESTORE = 0xc0;
  private static final int NOP = 0x00;
  private static final int SET_LOC = 0x01;
  private static final int ADVANCE_LOC1 = 0x02;
  private static final int ADVANCE_LOC2 = 0x03;
  private static final int ADVANCE_LOC4 = 0x04;
  private static final int OFFSET_EXTENDED = 0x05;
  private static final int RESTORE_EXTENDED = 0x06;
  private static final int UNDEFINED = 0x07;
  private static final int SAME_VALUE = 0x08;
  private static final int REGISTER = 0x09;
  private static final int REMEMBER_STATE = 0x0a;
  private static final int RESTORE_STATE = 0x0b;
  private static final int DEF_CFA = 0x0c;
  private static final int DEF_CFA_REGISTER = 0x0d;
  private static final int DEF_CFA_OFFSET = 0x0e;
  private static final int DEF_CFA_EXPRESSION = 0x0f;
  private static final int EXPRESSION = 0x10;
  private static final int OFFSET_EXTENDED_SF = 0x11;
  private static final int DEF_CFA_SF = 0x12;
  private static final int DEF_CFA_OFFSET_SF = 0x13;
  private static final int VAL_OFFSET = 0x14;
  private static final int VAL_OFFSET_SF = 0x15;
  private static final int VAL_EXPRESSION = 0x16;
  private static final int MIPS_ADVANCE_LOC8 = 0x1d;
  private static final int GNU_WINDOW_SAVE = 0x2d;
  private static final int GNU_ARGS_SIZE = 0x2e;
  private static final int GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f;

  private final RegisterState[] saved = new RegisterState[MAX_SAVED];
  private final FrameRow row;
  private int depth;

  FrameProgram(FrameRow row) {
    this.row = row;
  }

  /**
   * Runs the instructions of a common entry, which set the rules that each function starts with.
   */
  static void runInitial(CommonEntry common, ByteReader reader) {
    RegisterState state = common.initial();
    while (reader.hasMore()) {
      int instruction = reader.u8();
      if (instruction >= ADVANCE_LOC && instruction < OFFSET) {
        continue; // there is no code to advance in
      }
      switch (instruction) {
        case NOP -> {}
        case ADVANCE_LOC1 -> reader.skip(1);
        case ADVANCE_LOC2 -> reader.skip(2);
        case ADVANCE_LOC4 -> reader.skip(4);
        default -> change(instruction, state, common, reader, true);
      }
    }
  }

  /** Visits the rows of one function; {@code reader} has its instructions. */
  void run(
      CommonEntry common, ByteReader reader, long elfStart, long elfEnd, FrameVisitor visitor) {
    row.begin(common, reader.bytes());
    depth = 0;
    long at = elfStart;
    while (reader.hasMore()) {
      int instruction = reader.u8();
      long next;
      if (instruction >= ADVANCE_LOC && instruction < OFFSET) {
        next = advanced(at, instruction & 0x3f, common);
      } else {
        switch (instruction) {
          case NOP -> {
            continue;
          }
          case SET_LOC ->
              next = reader.encodedPointer(common.encoding(), common.addressSize(), elfStart);
          case ADVANCE_LOC1 -> next = advanced(at, reader.u8(), common);
          case ADVANCE_LOC2 -> next = advanced(at, reader.u16(), common);
          case ADVANCE_LOC4 -> next = advanced(at, reader.u32(), common);
          case MIPS_ADVANCE_LOC8 -> next = advanced(at, reader.i64(), common);
          case REMEMBER_STATE -> {
            remember();
            continue;
          }
          case RESTORE_STATE -> {
            recall();
            continue;
          }
          default -> {
            change(instruction, row.state, common, reader, false);
            continue;
          }
        }
      }
      if (Long.compareUnsigned(next, at) < 0) {
        throw BadEntryException.INSTANCE;
      }
      if (Long.compareUnsigned(next, elfEnd) >= 0) {
        break;
      }
      if (next != at) {
        row.range(at, next);
        visitor.row(row);
        at = next;
      }
    }
    row.range(at, elfEnd);
    visitor.row(row);
  }

  private static long advanced(long at, long count, CommonEntry common) {
    long distance = count * common.codeAlignment();
    long next = at + distance;
    // An address that wraps around is beyond the end of any function.
    return count < 0 || distance < 0 || Long.compareUnsigned(next, at) < 0 ? -1 : next;
  }

  private void remember() {
    if (depth == MAX_SAVED) {
      throw BadEntryException.INSTANCE;
    }
    if (saved[depth] == null) {
      saved[depth] = new RegisterState();
    }
    saved[depth++].copyFrom(row.state);
  }

  private void recall() {
    if (depth == 0) {
      throw BadEntryException.INSTANCE;
    }
    row.state.copyFrom(saved[--depth]);
  }

  /** An instruction that changes a rule. */
  private static void change(
      int instruction,
      RegisterState state,
      CommonEntry common,
      ByteReader reader,
      boolean inCommon) {
    long data = common.dataAlignment();
    if (instruction >= RESTORE) {
      restore(instruction & 0x3f, state, common, inCommon);
      return;
    }
    if (instruction >= OFFSET) {
      state.rule(instruction & 0x3f, FrameRow.OFFSET, reader.uleb() * data);
      return;
    }
    switch (instruction) {
      case DEF_CFA -> state.cfa(reader.uleb(), reader.uleb());
      case DEF_CFA_SF -> state.cfa(reader.uleb(), reader.sleb() * data);
      case DEF_CFA_REGISTER -> state.cfaRegister(reader.uleb());
      case DEF_CFA_OFFSET -> state.cfaOffset(reader.uleb());
      case DEF_CFA_OFFSET_SF -> state.cfaOffset(reader.sleb() * data);
      case DEF_CFA_EXPRESSION -> state.cfaExpression(expression(reader, inCommon));
      case RESTORE_EXTENDED -> restore(reader.uleb(), state, common, inCommon);
      case GNU_WINDOW_SAVE -> {} // SPARC's; on AArch64 the return address's signature
      case GNU_ARGS_SIZE -> reader.uleb();
      default -> registerRule(instruction, reader.uleb(), state, data, reader, inCommon);
    }
  }

  private static void registerRule(
      int instruction,
      long register,
      RegisterState state,
      long data,
      ByteReader reader,
      boolean inCommon) {
    switch (instruction) {
      case OFFSET_EXTENDED -> state.rule(register, FrameRow.OFFSET, reader.uleb() * data);
      case OFFSET_EXTENDED_SF -> state.rule(register, FrameRow.OFFSET, reader.sleb() * data);
      case GNU_NEGATIVE_OFFSET_EXTENDED ->
          state.rule(register, FrameRow.OFFSET, -(reader.uleb() * data));
      case VAL_OFFSET -> state.rule(register, FrameRow.VALUE_OFFSET, reader.uleb() * data);
      case VAL_OFFSET_SF -> state.rule(register, FrameRow.VALUE_OFFSET, reader.sleb() * data);
      case UNDEFINED -> state.rule(register, FrameRow.UNDEFINED, 0);
      case SAME_VALUE -> state.rule(register, FrameRow.SAME, 0);
      case REGISTER -> state.rule(register, FrameRow.REGISTER, reader.uleb());
      case EXPRESSION -> state.rule(register, FrameRow.EXPRESSION, expression(reader, inCommon));
      case VAL_EXPRESSION ->
          state.rule(register, FrameRow.VALUE_EXPRESSION, expression(reader, inCommon));
      default -> throw BadEntryException.INSTANCE;
    }
  }

  private static void restore(
      long register, RegisterState state, CommonEntry common, boolean inCommon) {
    if (inCommon) {
      throw BadEntryException.INSTANCE; // to what it is about to say?
    }
    state.restore(register, common.initial());
  }

  private static long expression(ByteReader reader, boolean inCommon) {
    long length = reader.uleb();
    return FrameRow.place(inCommon, reader.skip(length), (int) length);
  }
}
