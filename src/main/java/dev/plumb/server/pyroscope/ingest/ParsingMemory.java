package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.pprof.Pprof;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;

/**
 * The most memory that a profile takes while it is read. Tables are many times larger than the
 * bytes that they come from: two bytes make a string, six a location. The figures for pprof's
 * strings, functions, locations and stack nodes were measured: the smallest heap in which 2 MB of
 * nothing else could be read, in steps of 8 to 20 MB. The others are estimates from the objects
 * that are made.
 */
public final class ParsingMemory {
  private static final int STRING = 32;
  private static final int FUNCTION = 80;

  /** A location; each of its lines takes more, with its frame once a sample contains it. */
  private static final int LOCATION = 100;

  private static final int LINE = 300;

  /** A sample, or an entry of any other table. */
  private static final int ENTRY = 160;

  /** Numbers that are kept, per byte: each number, even of one byte, becomes an object. */
  private static final int NUMBERS = 24;

  /** A sample's timestamps, per byte. */
  private static final int TIMES = 5;

  /** A frame that only one stack has: one number of a sample, of a byte or more. */
  private static final int STACK_NODE = 30;

  /** A frame that has only a name. */
  private static final int FRAME = 250;

  private static final int SHORTEST_FRAME = 4;

  /** Text, per byte. */
  private static final int TEXT = 2;

  /** A flight recording, per byte. */
  private static final int FLIGHT_RECORDING = 5;

  /** Within a resource: scopes, profiles, samples, all in fields of the same number. */
  private static final int RESOURCE_TO_SAMPLE = 3;

  private static final int NESTED = OtlpFields.SCOPES;

  /** The wire type of fields with a length. */
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

  /** Scopes, profiles and samples are nested, in fields of the same number. */
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
      // A damaged part is refused when it is read; intact parts beside it are not.
      cost += TIMES * in.size();
    }
    return cost;
  }

  private static long ofDictionary(ProtoIn in, IngestLimits limits) {
    long cost = 0;
    long stackBytes = 0;
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.TABLE_LOCATIONS ->
            cost += ofLocation(in.message(), OtlpFields.LOCATION_LINES);
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
