package dev.plumb.cli.run;

import dev.plumb.cli.text.Stderr;
import dev.plumb.collect.ProcessPriority;
import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.profile.Recording;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The life of a recording, the same for every command that records: load, start, record step by
 * step and cut off what its plan says, until the plan says that it is over.
 */
public final class RecordingLoop implements AutoCloseable {
  /** What is cut off after a step. */
  public enum Cut {
    NOTHING,

    /** A part of a longer result; states, such as memory in use, come with its last part. */
    PART,

    /** A result of its own. */
    RESULT
  }

  /** When a recording is cut, who takes what was cut off, and when it is over. */
  public interface Plan {
    /** Whether to stop; asked often. */
    boolean isOver();

    /** How long to record before {@link #next} is asked. */
    long stepNanos();

    /** Whether a step ends early when memory is nearly full: {@link #next} must then cut. */
    boolean cutsWhenFull();

    /** Decides after each step, also after the last one. */
    Cut next(boolean isOver);

    void take(Recording recording, Cut cut);
  }

  private final Recorder recorder;
  private final ProcessPriority priority;
  private final Supplier<Map<String, String>> facts;

  /**
   * Loads what is needed; nothing is recorded yet.
   *
   * @param priority is raised while recording; whoever made it restores it
   * @param facts of each recording that is cut off
   */
  public RecordingLoop(
      RecordOptions options, ProcessPriority priority, Supplier<Map<String, String>> facts) {
    this.recorder = new Recorder(options);
    this.priority = priority;
    this.facts = facts;
  }

  public Recorder recorder() {
    return recorder;
  }

  /** From now on samples come; reports the modes that are not possible. */
  public void start() {
    recorder.start();
    recorder.refused().forEach((mode, why) -> Stderr.say(mode + ": " + why));
  }

  /** Records until the plan is over. Commands to record must have been started before. */
  public void run(Plan plan) {
    priority.raise();
    boolean over = plan.isOver();
    while (!over) {
      recorder.runFor(
          plan.stepNanos(), () -> plan.isOver() || plan.cutsWhenFull() && recorder.isNearlyFull());
      over = plan.isOver();
      Cut cut = plan.next(over);
      if (cut == Cut.PART) {
        plan.take(recorder.cutPart(facts.get()), cut);
      } else if (cut == Cut.RESULT) {
        plan.take(recorder.cut(facts.get()), cut);
      }
    }
  }

  /** Ends the recording. */
  public void stop() {
    recorder.stop();
  }

  /** What came since the last cut; after {@link #stop}, once. */
  public Recording rest() {
    return recorder.finish(facts.get());
  }

  @Override
  public void close() {
    recorder.close();
  }
}
