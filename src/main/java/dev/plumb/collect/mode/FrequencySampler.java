package dev.plumb.collect.mode;

/** A mode that samples at a frequency. */
public interface FrequencySampler {
  /** How often it was asked to sample, in Hz. */
  double rateAsked();

  /** How often it really did. */
  double rateHeld();
}
