package dev.plumb.server.pyroscope;

import java.util.List;

/** Labels that Pyroscope gives to every series; the store answers for them, but lists none. */
final class MetaLabels {
  static final String SERVICE = "service_name";
  static final String SERVICE_TWIN = "__service_name__";

  static final List<String> NAMES =
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
