package dev.plumb.bpf.object;

import dev.plumb.bpf.error.BpfException;
import java.util.Optional;

/** A program to be loaded: its code, and what its section's name says it is for. */
public final class ProgramSpec {
  private final String name;
  private final String section;
  private final Optional<ProgramKind> kind;
  private final Function code;
  private String attachTarget;
  private boolean autoload;

  ProgramSpec(String name, String section, Function code) {
    this.name = name;
    this.code = code;
    this.autoload = !section.startsWith("?");
    this.section = autoload ? section : section.substring(1);
    this.kind = ProgramKind.ofSection(this.section);
    this.attachTarget = ProgramKind.targetOfSection(this.section);
  }

  public String name() {
    return name;
  }

  /** The section's name, without the {@code ?} of programs that are not loaded unless asked for. */
  public String section() {
    return section;
  }

  /** BPF_PROG_TYPE_…; 0 if the section's name says nothing that Plumb knows. */
  public int type() {
    return kind.map(ProgramKind::type).orElse(0);
  }

  /** What it is to be attached to, e.g. {@code sched_switch}; empty if that is said later. */
  public String attachTarget() {
    return attachTarget;
  }

  /** Chooses another target, e.g. the name that this kernel has for a function. */
  public ProgramSpec attachTarget(String target) {
    attachTarget = target;
    return this;
  }

  public boolean autoload() {
    return autoload;
  }

  /** Says whether it is loaded with the collection. */
  public ProgramSpec autoload(boolean load) {
    autoload = load;
    return this;
  }

  public ProgramKind kind() {
    return kind.orElseThrow(
        () ->
            new BpfException(
                "program "
                    + name
                    + ": section \""
                    + section
                    + "\" does not name a kind of program that Plumb can load"));
  }

  public Function code() {
    return code;
  }

  @Override
  public String toString() {
    return "program " + name;
  }
}
