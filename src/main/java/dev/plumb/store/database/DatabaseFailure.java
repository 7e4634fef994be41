package dev.plumb.store.database;

import dev.plumb.store.StoreException;
import dev.plumb.store.StoreException.Reason;
import dev.plumb.store.StoreInUseException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes DuckDB's errors and makes messages with a remedy of them. */
public final class DatabaseFailure {
  private static final Pattern HOLDER = Pattern.compile("\\(PID (\\d+)\\)");

  private static final Pattern VERSION = Pattern.compile("version number (-?\\d+)");

  private DatabaseFailure() {}

  private static boolean says(Throwable e, String... words) {
    String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    for (String word : words) {
      if (message.contains(word)) {
        return true;
      }
    }
    return false;
  }

  public static StoreException writing(SQLException e) {
    if (isDiskFull(e)) {
      return new StoreException(
          "the disk of the store is full: free some space, or give the store less (--disk)", e);
    }
    return new StoreException("the store could not be written: " + firstLine(e), e);
  }

  public static StoreException reading(SQLException e) {
    if (isMemory(e)) {
      return new StoreException(
          Reason.TOO_MUCH,
          "this query needs more memory than the store may use; ask for a shorter time range or"
              + " for fewer series",
          e);
    }
    if (says(e, "invalid input error") && says(e, "regex", "missing", "invalid", "bad")) {
      return new StoreException(Reason.QUESTION, "invalid pattern: " + firstLine(e), e);
    }
    return new StoreException("the store could not be read: " + firstLine(e), e);
  }

  public static boolean isMemory(SQLException e) {
    return says(e, "out of memory", "failed to allocate", "could not allocate", "failed to pin");
  }

  /** Whether files may be damaged; an "invalid error" is one that DuckDB's readers threw. */
  public static boolean isDamage(SQLException e) {
    return says(
            e,
            "parquet",
            "decompress",
            "tprotocol",
            "thrift",
            "io error",
            "corrupt",
            "invalid error")
        && !isMemory(e);
  }

  public static boolean isDiskFull(SQLException e) {
    return says(e, "no space left", "disk quota exceeded", "enospc");
  }

  /** Whether DuckDB refuses everything until it is reopened. */
  static boolean isDead(SQLException e) {
    return says(
        e,
        "database has been invalidated",
        "must be restarted",
        "fatal error",
        "corrupted in-memory");
  }

  public static boolean isLocked(SQLException e) {
    return says(e, "could not set lock");
  }

  public static boolean isDenied(SQLException e) {
    return says(e, "permission denied", "read-only file system");
  }

  /** Versions of DuckDB's files count from 1 and rise slowly: a large number means damage. */
  public static boolean isNewer(SQLException e) {
    Matcher version = VERSION.matcher(String.valueOf(e.getMessage()));
    return version.find() ? version.group(1).length() <= 4 : says(e, "newer version");
  }

  /** The store is open in another process. */
  public static StoreException inUse(SQLException e, Path folder, String address) {
    Matcher holder = HOLDER.matcher(String.valueOf(e.getMessage()));
    String who = holder.find() ? "process " + holder.group(1) : "another process";
    return new StoreInUseException(
        "the store in %s is in use by %s; %s"
            .formatted(
                folder,
                who,
                address.isEmpty()
                    ? "stop it, or choose another folder (--store)"
                    : "query it at " + address + ", or stop it"),
        e);
  }

  public static StoreException denied(Throwable e, Path folder) {
    return new StoreException(
        "the store in %s cannot be written: permission denied or a read-only disk; choose another folder (--store)"
            .formatted(folder),
        e);
  }

  /** The line that says what went wrong; DuckDB's driver puts one of its own before it. */
  public static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage())
        .lines()
        .filter(line -> !line.contains("pending query result"))
        .map(line -> line.startsWith("Error: ") ? line.substring("Error: ".length()) : line)
        .findFirst()
        .orElse("");
  }
}
