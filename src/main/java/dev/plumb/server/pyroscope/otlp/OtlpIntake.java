package dev.plumb.server.pyroscope.otlp;

import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.ServerCounters;
import dev.plumb.server.pyroscope.ingest.ParsingMemory;
import dev.plumb.server.pyroscope.ingest.ProfileIntake;
import dev.plumb.server.pyroscope.ingest.SeriesLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** OTLP's ProfilesService/Export: stores the valid profiles of a request and counts the rest. */
public final class OtlpIntake {
  private static final int MAX_PROFILES = 10_000;

  private final ProfileIntake intake;
  private final ServerCounters counters;

  public OtlpIntake(ProfileIntake intake, ServerCounters counters) {
    this.intake = intake;
    this.counters = counters;
  }

  public byte[] export(byte[] request) {
    byte[][] answer = new byte[1][];
    intake.reading(ParsingMemory.ofOtlp(request, intake.limits()), () -> answer[0] = read(request));
    return answer[0];
  }

  private byte[] read(byte[] request) {
    List<ProtoIn> resources = new ArrayList<>();
    Optional<ProtoIn> tables = Optional.empty();
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.REQUEST_RESOURCES -> resources.add(in.message());
        case OtlpFields.REQUEST_DICTIONARY -> tables = Optional.of(in.message());
        default -> {}
      }
    }
    if (resources.isEmpty()) {
      return new byte[0];
    }
    OtlpDictionary dictionary =
        new OtlpDictionary(
            tables.orElseThrow(
                () -> Refusal.invalid("missing profile metadata: the request has no dictionary")));
    Outcome outcome = new Outcome();
    resources.forEach(resource -> resource(resource, dictionary, outcome));
    return outcome.encode();
  }

  /** How many profiles were rejected, and why the first one was. */
  private static final class Outcome {
    long seen;
    long rejected;
    String message = "";

    void reject(String why) {
      rejected++;
      message = message.isEmpty() ? why : message;
    }

    byte[] encode() {
      if (rejected == 0) {
        return new byte[0];
      }
      if (rejected == seen) {
        throw Refusal.invalid("%s", message);
      }
      return new ProtoOut()
          .message(
              OtlpFields.RESPONSE_PARTIAL_SUCCESS,
              new ProtoOut()
                  .number(OtlpFields.PARTIAL_REJECTED, rejected)
                  .text(OtlpFields.PARTIAL_MESSAGE, message))
          .toBytes();
    }
  }

  private void resource(ProtoIn in, OtlpDictionary dictionary, Outcome outcome) {
    Map<String, String> attributes = new TreeMap<>();
    List<ProtoIn> scopes = new ArrayList<>();
    while (in.next()) {
      switch (in.field()) {
        case OtlpFields.RESOURCE -> attributes(in.message(), dictionary, attributes);
        case OtlpFields.SCOPES -> scopes.add(in.message());
        default -> {}
      }
    }
    for (ProtoIn scope : scopes) {
      while (scope.next()) {
        if (scope.field() == OtlpFields.SCOPE_PROFILES) {
          profile(scope.message(), dictionary, attributes, outcome);
        }
      }
    }
  }

  private static void attributes(
      ProtoIn in, OtlpDictionary dictionary, Map<String, String> attributes) {
    while (in.next()) {
      if (in.field() == OtlpFields.RESOURCE_ATTRIBUTES) {
        ProtoIn pair = in.message();
        String key = "";
        String value = "";
        while (pair.next()) {
          switch (pair.field()) {
            case OtlpFields.ATTRIBUTE_KEY -> key = pair.string();
            case OtlpFields.ATTRIBUTE_VALUE -> value = dictionary.value(pair.message());
            case OtlpFields.ATTRIBUTE_KEY_INDEX -> key = dictionary.string((int) pair.number());
            default -> {}
          }
        }
        if (!key.isEmpty() && !value.isEmpty()) {
          attributes.put(key, value);
        }
      }
    }
  }

  private void profile(
      ProtoIn in, OtlpDictionary dictionary, Map<String, String> attributes, Outcome outcome) {
    if (++outcome.seen > MAX_PROFILES) {
      throw Refusal.invalid("more than %d profiles in one request", MAX_PROFILES);
    }
    try {
      OtlpProfileReader profile =
          new OtlpProfileReader(in, dictionary, attributes, intake.limits());
      SeriesLabels series = OtlpAttributes.series(attributes).name(profile.name());
      intake.once(
          series,
          profile.id(),
          () -> intake.take("otlp", series, intake.labels(series), in.size(), profile::recording));
    } catch (FormatException e) {
      counters.rejected("malformed_profile");
      outcome.reject(e.getMessage());
    } catch (Refusal e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      outcome.reject(e.getMessage());
    }
  }
}
