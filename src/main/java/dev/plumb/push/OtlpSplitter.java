package dev.plumb.push;

import dev.plumb.export.otlp.OtlpFields;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import java.util.ArrayList;
import java.util.List;

/** Splits an OpenTelemetry request into two, each with half of the resources and all tables. */
final class OtlpSplitter {
  private OtlpSplitter() {}

  /** Empty if the request has only one resource. */
  static List<PushBatch> halves(PushBatch batch) {
    List<byte[]> resources = new ArrayList<>();
    ProtoOut rest = new ProtoOut();
    try {
      ProtoIn in = new ProtoIn(batch.body());
      while (in.next()) {
        if (in.field() == OtlpFields.REQUEST_RESOURCES) {
          resources.add(in.content());
        } else {
          rest.bytes(in.field(), in.content());
        }
      }
    } catch (FormatException e) {
      return List.of();
    }
    if (resources.size() < 2) {
      return List.of();
    }
    int half = resources.size() / 2;
    long samples = batch.samples() / 2;
    return List.of(
        part(batch, resources.subList(0, half), rest, samples),
        part(batch, resources.subList(half, resources.size()), rest, batch.samples() - samples));
  }

  private static PushBatch part(PushBatch of, List<byte[]> resources, ProtoOut rest, long samples) {
    ProtoOut request = new ProtoOut();
    resources.forEach(resource -> request.bytes(OtlpFields.REQUEST_RESOURCES, resource));
    request.append(rest);
    return new PushBatch(of.path(), of.contentType(), samples, request.toBytes());
  }
}
