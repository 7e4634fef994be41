package dev.plumb.bpf.error;

/** A BPF object or its types are not what they should be, or the kernel refused them. */
public class BpfException extends RuntimeException {
  public BpfException(String message) {
    super(message);
  }

  public BpfException(String message, Throwable cause) {
    super(message, cause);
  }
}
