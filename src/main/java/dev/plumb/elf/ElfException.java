package dev.plumb.elf;

/** Part of a file is not valid ELF; the message says which part and why. */
public final class ElfException extends RuntimeException {
  public ElfException(String message) {
    super(message);
  }

  public ElfException(String message, Throwable cause) {
    super(message, cause);
  }
}
