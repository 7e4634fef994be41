package dev.plumb.server.pyroscope.wire;

import java.util.List;

/** Labels that Pyroscope adds to every series; the store can be queried for them but lists none. */
public final class MetaLabels {
  public static final String SERVICE = "service_name";
  static final String SERVICE_TWIN = "__service_name__";

  public static final List<String> NAMES =
      List.of(
          "__name__",
          "__period_type__",
          "__period_unit__",
          "__profile_type__",
          SERVICE_TWIN,
          "__type__",
          "__unit__");

  private MetaLabels() {}
}
