package dev.plumb.unwind;

/** Finds the table for an address in a process. */
@FunctionalInterface
public interface LoadedTables {
  /** {@link LoadedTable#NONE} if there is none. */
  LoadedTable at(long processAddress);
}
