package dev.plumb.dwarf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Keeps where the units of one file are, for the next one who asks: to find that out takes a look
 * at each of them.
 */
public interface UnitStore {
  /** Keeps nothing. */
  UnitStore NONE =
      new UnitStore() {
        @Override
        public Optional<MemorySegment> load(Arena arena) {
          return Optional.empty();
        }

        @Override
        public void save(List<MemorySegment> parts) {
          // The next one has to look again.
        }
      };

  /** What was saved, while {@code arena} is open. It need not be true. */
  Optional<MemorySegment> load(Arena arena);

  /** Keeps these parts as one, if it can. */
  void save(List<MemorySegment> parts);
}
