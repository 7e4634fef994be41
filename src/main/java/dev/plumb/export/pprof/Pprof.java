package dev.plumb.export.pprof;

/** Field numbers of pprof's profile.proto, and the names Plumb gives its labels and comments. */
public final class Pprof {
  // Profile
  public static final int SAMPLE_TYPE = 1;
  public static final int SAMPLE = 2;
  public static final int MAPPING = 3;
  public static final int LOCATION = 4;
  public static final int FUNCTION = 5;
  public static final int STRING_TABLE = 6;
  public static final int TIME_NANOS = 9;
  public static final int DURATION_NANOS = 10;
  public static final int PERIOD_TYPE = 11;
  public static final int PERIOD = 12;
  public static final int COMMENT = 13;
  public static final int DEFAULT_SAMPLE_TYPE = 14;

  // ValueType
  public static final int VALUE_TYPE_TYPE = 1;
  public static final int VALUE_TYPE_UNIT = 2;

  // Sample
  public static final int SAMPLE_LOCATION_ID = 1;
  public static final int SAMPLE_VALUE = 2;
  public static final int SAMPLE_LABEL = 3;

  // Label
  public static final int LABEL_KEY = 1;
  public static final int LABEL_STR = 2;
  public static final int LABEL_NUM = 3;
  public static final int LABEL_NUM_UNIT = 4;

  // Mapping
  public static final int MAPPING_ID = 1;
  public static final int MAPPING_MEMORY_START = 2;
  public static final int MAPPING_MEMORY_LIMIT = 3;
  public static final int MAPPING_FILE_OFFSET = 4;
  public static final int MAPPING_FILENAME = 5;
  public static final int MAPPING_BUILD_ID = 6;
  public static final int MAPPING_HAS_FUNCTIONS = 7;
  public static final int MAPPING_HAS_FILENAMES = 8;
  public static final int MAPPING_HAS_LINE_NUMBERS = 9;
  public static final int MAPPING_HAS_INLINE_FRAMES = 10;

  // Location
  public static final int LOCATION_ID = 1;
  public static final int LOCATION_MAPPING_ID = 2;
  public static final int LOCATION_ADDRESS = 3;
  public static final int LOCATION_LINE = 4;

  // Line
  public static final int LINE_FUNCTION_ID = 1;
  public static final int LINE_LINE = 2;

  // Function
  public static final int FUNCTION_ID = 1;
  public static final int FUNCTION_NAME = 2;
  public static final int FUNCTION_SYSTEM_NAME = 3;
  public static final int FUNCTION_FILENAME = 4;

  static final String LABEL_PID = "pid";
  static final String LABEL_TID = "tid";
  static final String LABEL_INNER_PID = "inner_pid";
  static final String LABEL_COMM = "comm";
  static final String LABEL_THREAD = "thread";
  static final String LABEL_CGROUP = "cgroup";
  static final String LABEL_STACK_END = "stack_end";

  /** Comments are {@code plumb.KEY=VALUE}; other readers show them as they are. */
  static final String COMMENT_PREFIX = "plumb.";

  private Pprof() {}

  /** Whether a profile may begin with this byte: a field's number and how it is encoded. */
  public static boolean isPossible(byte first) {
    int field = (first & 0xff) >> 3;
    boolean number = field >= 7 && field != PERIOD_TYPE;
    int packed = field == COMMENT ? 2 : -1;
    int encoding = first & 7;
    return field >= SAMPLE_TYPE
        && field <= 15
        && (encoding == (number ? 0 : 2) || encoding == packed);
  }
}
