package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.pprof.Pprof;
import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;

/**
 * What a profile takes in memory while it is read, at most. Tables are many times as large as the
 * bytes that they come from: two bytes make a string, six a location. Strings, functions, locations
 * and stack nodes of pprof were measured, by the smallest heap in which 2 MB of nothing but these
 * could be read, in steps of 8 to 20 MB. The other numbers are estimates from the objects made.
 */
public final class ParsingMemory {
  private static final int STRING = 32;
  private static final int FUNCTION = 80;

  /** A location's own, and what each of its lines takes, with its frame once a sample has it. */
  private static final int LOCATION = 100;

  private static final int LINE = 300;

  /** A sample, and an entry of any other table. */
  private static final int ENTRY = 160;

  /** Numbers that are kept, for each byte: one of a single byte is an object. */
  private static final int NUMBERS = 24;

  /** A time that a sample came with, for each byte. */
  private static final int TIMES = 5;

  /** A frame that a stack has and no other: one number of a sample's, of a byte or more. */
  private static final int STACK_NODE = 30;

  /** A frame that is known by its name alone. */
  private static final int FRAME = 250;

  private static final int SHORTEST_FRAME = 4;

  /** Text, for each byte. */
  private static final int TEXT = 2;

  /** A flight recording, for each byte. */
  private static final int FLIGHT_RECORDING = 5;

  /** Within a resource: scopes, profiles, samples, all in fields of the same number. */
  private static final int RESOURCE_TO_SAMPLE = 3;

  private static final int NESTED = OtlpFields.SCOPES;

  /** The wire type of what has a length. */
  private static final int LENGTH = 2;

  private ParsingMemory() {}

  static long ofText(int bytes, IngestLimits limits) {
    return (long) TEXT * bytes
        + (long) STACK_NODE * Math.min(bytes / 2, limits.maxStackNodes())
        + (long) FRAME * Math.min(bytes / SHORTEST_FRAME, limits.maxFrames());
  }

  static long ofFlightRecording(int bytes, IngestLimits limits) {
    return (long) FLIGHT_RECORDING * bytes
        + (long) STACK_NODE * Math.min(bytes / SHORTEST_FRAME, limits.maxStackNodes());
  }

  /** A pprof profile. */
  static long ofPprof(byte[] plain, IngestLimits limits) {
    ProtoIn in = new ProtoIn(plain);
    long cost = plain.length;
    long sampleBytes = 0;
    while (in.next()) {
      switch (in.field()) {
        case Pprof.SAMPLE -> {
          sampleBytes += in.length();
          cost += ENTRY;
        }
        case Pprof.LOCATION -> cost += ofLocation(in.message(), Pprof.LOCATION_LINE);
        case Pprof.FUNCTION -> cost += FUNCTION;
        case Pprof.STRING_TABLE -> cost += STRING;
        default -> cost += ENTRY + NUMBERS * size(in);
      }
    }
    return cost + STACK_NODE * Math.min(sampleBytes, limits.maxStackNodes());
  }

  private static long ofLocation(ProtoIn in, int lineField) {
    long lines = 0;
    while (in.next()) {
      lines += in.field() == lineField ? 1 : 0;
    }
    return LOCATION + LINE * Math.max(1, lines);
  }

  private static long size(ProtoIn in) {
    return in.wire() == LENGTH ? in.length() : 1;
  }

  /** An ExportProfilesServiceRequest of OTLP. */
  public static long ofOtlp(byte[] request, IngestLimits limits) {
    ProtoIn in = new ProtoIn(request);
    long cost = request.length;
    while (in.next()) {
      if (in.field() == OtlpFields.REQUEST_DICTIONARY) {
        cost += ofDictionary(in.message(), limits);
      } else if (in.field() == OtlpFields.REQUEST_RESOURCES) {
        cost += ofResource(in.message(), RESOURCE_TO_SAMPLE);
      }
    }
    return cost;
  }

  /** Scopes, profiles and samples lie within each other, in fields of the same number. */
  private static long ofResource(ProtoIn in, int levels) {
    long cost = ENTRY;
    try {
      while (in.next()) {
        if (in.field() == NESTED && levels > 0) {
          cost += ofResource(in.message(), levels - 1);
        } else {
          cost += TIMES * size(in);
        }
      }
    } catch (FormatException e) {
      // It is refused when it is read, and what is whole beside it is not.
      cost += TIMES * in.size();
    }
    return cost;
  }

  private static long ofDictionary(ProtoIn in, IngestLimits limits) {
    long cost = 0;
    long stackBytes = 0;
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.TABLE_LOCATIONS -> cost += ofLocation(in.message(), OtlpFields.LOCATION_LINES);
        case OtlpFields.TABLE_FUNCTIONS -> cost += FUNCTION;
        case OtlpFields.TABLE_STRINGS -> cost += STRING;
        case OtlpFields.TABLE_STACKS -> {
          stackBytes += in.length();
          cost += ENTRY + TIMES * size(in);
        }
        default -> cost += ENTRY + TIMES * size(in);
      }
    }
    return cost + STACK_NODE * Math.min(stackBytes, limits.maxStackNodes());
  }
}
