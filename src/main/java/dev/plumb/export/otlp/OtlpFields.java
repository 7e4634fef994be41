package dev.plumb.export.otlp;

/**
 * The field numbers of OpenTelemetry's profiles ({@code v1development} of opentelemetry-proto
 * 1.11).
 */
public final class OtlpFields {
  // ExportProfilesServiceRequest, ProfilesData
  public static final int REQUEST_RESOURCES = 1;
  public static final int REQUEST_DICTIONARY = 2;

  // ExportProfilesServiceResponse
  public static final int RESPONSE_PARTIAL_SUCCESS = 1;
  public static final int PARTIAL_REJECTED = 1;
  public static final int PARTIAL_MESSAGE = 2;

  // ResourceProfiles, Resource, ScopeProfiles, InstrumentationScope
  public static final int RESOURCE = 1;
  public static final int SCOPES = 2;
  public static final int RESOURCE_ATTRIBUTES = 1;
  public static final int SCOPE = 1;
  public static final int SCOPE_PROFILES = 2;
  public static final int SCOPE_NAME = 1;

  // KeyValue
  public static final int ATTRIBUTE_KEY = 1;
  public static final int ATTRIBUTE_VALUE = 2;
  public static final int ATTRIBUTE_KEY_INDEX = 3;

  // AnyValue
  public static final int ANY_STRING = 1;
  public static final int ANY_BOOL = 2;
  public static final int ANY_INT = 3;
  public static final int ANY_DOUBLE = 4;
  public static final int ANY_BYTES = 7;
  public static final int ANY_STRING_INDEX = 8;

  // Profile
  public static final int PROFILE_SAMPLE_TYPE = 1;
  public static final int PROFILE_SAMPLES = 2;
  public static final int PROFILE_TIME = 3;
  public static final int PROFILE_DURATION = 4;
  public static final int PROFILE_PERIOD_TYPE = 5;
  public static final int PROFILE_PERIOD = 6;
  public static final int PROFILE_ID = 7;

  // ValueType
  public static final int TYPE_NAME = 1;
  public static final int TYPE_UNIT = 2;

  // Sample
  public static final int SAMPLE_STACK = 1;
  public static final int SAMPLE_ATTRIBUTES = 2;
  public static final int SAMPLE_VALUES = 4;
  public static final int SAMPLE_TIMES = 5;

  // ProfilesDictionary
  public static final int TABLE_MAPPINGS = 1;
  public static final int TABLE_LOCATIONS = 2;
  public static final int TABLE_FUNCTIONS = 3;
  public static final int TABLE_LINKS = 4;
  public static final int TABLE_STRINGS = 5;
  public static final int TABLE_ATTRIBUTES = 6;
  public static final int TABLE_STACKS = 7;

  // Mapping
  public static final int MAPPING_START = 1;
  public static final int MAPPING_OFFSET = 3;
  public static final int MAPPING_FILE = 4;
  public static final int MAPPING_ATTRIBUTES = 5;

  // Location, Line
  public static final int LOCATION_MAPPING = 1;
  public static final int LOCATION_ADDRESS = 2;
  public static final int LOCATION_LINES = 3;
  public static final int LOCATION_ATTRIBUTES = 4;
  public static final int LINE_FUNCTION = 1;
  public static final int LINE_LINE = 2;

  // Function
  public static final int FUNCTION_NAME = 1;
  public static final int FUNCTION_SYSTEM_NAME = 2;
  public static final int FUNCTION_FILE = 3;

  // KeyValueAndUnit
  public static final int INDEXED_KEY = 1;
  public static final int INDEXED_VALUE = 2;

  // Stack
  public static final int STACK_LOCATIONS = 1;

  private OtlpFields() {}
}
