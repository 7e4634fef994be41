package dev.plumb.bpf.error;

import dev.plumb.linux.kernel.KernelVersion;

/** This kernel does not have what is needed: says from which version on one has. */
public final class UnsupportedException extends BpfException {
  public UnsupportedException(String what, String sinceVersion) {
    super(
        what
            + ": needs Linux "
            + sinceVersion
            + (KernelVersion.current().compareTo(KernelVersion.parse(sinceVersion)) >= 0
                ? ", which this is ("
                    + KernelVersion.current()
                    + "), but built or set up without it"
                : ", this is " + KernelVersion.current()));
  }
}
