package dev.plumb.dwarf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Saves where the units of one file are, for the next run: otherwise each unit has to be read to
 * find that out.
 */
public interface UnitStore {
  /** Saves nothing. */
  UnitStore NONE =
      new UnitStore() {
        @Override
        public Optional<MemorySegment> load(Arena arena) {
          return Optional.empty();
        }

        @Override
        public void save(List<MemorySegment> parts) {
          // The next run has to find the units again.
        }
      };

  /** What was saved, mapped while {@code arena} is open. The caller has to check it. */
  Optional<MemorySegment> load(Arena arena);

  /** Saves these parts, one after the other, if possible. */
  void save(List<MemorySegment> parts);
}
