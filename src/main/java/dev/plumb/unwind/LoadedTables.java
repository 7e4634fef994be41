package dev.plumb.unwind;

/** Finds the table of a process's code. */
@FunctionalInterface
public interface LoadedTables {
  /** {@link LoadedTable#NONE} if there is none. */
  LoadedTable at(long processAddress);
}
