package dev.plumb.elf;

/** The file is not the ELF file that it should be; the message says which part and why. */
public final class ElfException extends RuntimeException {
  public ElfException(String message) {
    super(message);
  }

  public ElfException(String message, Throwable cause) {
    super(message, cause);
  }
}
