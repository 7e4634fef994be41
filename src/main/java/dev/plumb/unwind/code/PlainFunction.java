package dev.plumb.unwind.code;

import dev.plumb.unwind.rule.UnwindRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Follows the stack pointer through the instructions of one function. Only certain results count: a
 * function with an instruction that it cannot follow has no rows.
 */
final class PlainFunction {
  private static final int MAX_BRANCHES = 64;
  private static final int MAX_DEPTH = 1 << 20;

  /** The stack at a place: bytes down to the stack pointer; where rbp is saved, or 0; the frame. */
  private record State(int depth, int rbpAt, int frame) {
    static final State START = new State(0, 0, -1);

    UnwindRule rule() {
      return new UnwindRule(
          UnwindRule.CFA_RSP,
          8 + depth,
          rbpAt == 0 ? UnwindRule.RBP_SAME : UnwindRule.RBP_AT_CFA,
          -rbpAt);
    }
  }

  private record Branch(int target, State state) {}

  private final X86Instruction instruction = new X86Instruction();
  private final List<Branch> branches = new ArrayList<>();
  private int[] starts = new int[64];
  private long[] rules = new long[64];
  private int rows;

  /** How many rows the last function has. */
  int rows() {
    return rows;
  }

  /** Where a row starts. */
  int start(int row) {
    return starts[row];
  }

  /** Its rule, packed. */
  long rule(int row) {
    return rules[row];
  }

  private void add(int at, State state) {
    long rule = state.rule().packed();
    if (rows > 0 && rules[rows - 1] == rule) {
      return;
    }
    if (rows == starts.length) {
      starts = Arrays.copyOf(starts, 2 * rows);
      rules = Arrays.copyOf(rules, 2 * rows);
    }
    starts[rows] = at;
    rules[rows++] = rule;
  }

  /** Where the function ends; -1 if it cannot be followed. */
  int follow(byte[] code, int start) {
    rows = 0;
    branches.clear();
    State state = State.START;
    int at = start;
    while (at < code.length) {
      add(at, state);
      X86Instruction.Effect effect = instruction.read(code, at, code.length);
      at = instruction.end();
      State after = after(state, effect);
      if (after == null) {
        return -1;
      }
      if (effect == X86Instruction.Effect.JUMP || effect == X86Instruction.Effect.BRANCH) {
        if (branches.size() == MAX_BRANCHES) {
          return -1;
        }
        branches.add(new Branch(instruction.target(), state));
      }
      State jumped = stateOf(at);
      if (leaves(effect)) {
        if (jumped == null || at == code.length) {
          return at; // no jump leads beyond it, or what follows is described
        }
        after = jumped;
      } else if (jumped != null && !jumped.equals(after)) {
        return -1;
      }
      state = after;
    }
    return -1; // it runs beyond the gap
  }

  private static boolean leaves(X86Instruction.Effect effect) {
    return switch (effect) {
      case JUMP, RETURN, TRAP -> true;
      default -> false;
    };
  }

  private State stateOf(int target) {
    for (Branch branch : branches) {
      if (branch.target == target) {
        return branch.state;
      }
    }
    return null;
  }

  private State after(State state, X86Instruction.Effect effect) {
    State next =
        switch (effect) {
          case NONE, BRANCH, JUMP -> state;
          case MOVE -> new State(state.depth + instruction.amount(), state.rbpAt, state.frame);
          case PUSH_RBP -> {
            int depth = state.depth + 8;
            yield new State(depth, state.rbpAt == 0 ? depth + 8 : state.rbpAt, state.frame);
          }
          case POP_RBP ->
              new State(
                  state.depth - 8, state.rbpAt == state.depth + 8 ? 0 : state.rbpAt, state.frame);
          case SET_RBP -> new State(state.depth, state.rbpAt, state.depth);
          case LEAVE -> state.frame < 8 ? null : new State(state.frame - 8, 0, -1);
          case RETURN -> state.depth == 0 ? state : null;
          case TRAP -> state;
          case OTHER -> null;
        };
    return next == null || next.depth < 0 || next.depth > MAX_DEPTH ? null : next;
  }
}
