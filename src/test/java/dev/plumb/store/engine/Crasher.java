package dev.plumb.store.engine;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** A separate process that has a store open, to be killed. */
final class Crasher {
  /** The value that each file of the spool adds. */
  static final long SPOOLED = 20 * RandomRecordings.PERIOD;

  private Crasher() {}

  static Process start(String what, Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-Xmx160m",
            "-cp",
            System.getProperty("java.class.path"),
            Crasher.class.getName(),
            what,
            folder.toString())
        .redirectErrorStream(true)
        .start();
  }

  public static void main(String[] arguments) {
    StoreOptions options = StoreOptions.of(Path.of(arguments[1])).withDiskBytes(64 << 20);
    try (Store store = Store.open(options)) {
      ProfileType cpu = ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
      Selection all = Selection.of(cpu, Selector.ALL, TimeRange.ALL);
      if (arguments[0].equals("spool")) {
        readSpool(store);
      }
      RandomRecordings made = new RandomRecordings(new Random().nextLong());
      for (int i = 0; arguments[0].equals("write"); i++) {
        for (Recording recording : made.inARow(RandomRecordings.EPOCH, 2, 1000)) {
          store.add(recording, Labels.NONE);
          recording.close();
        }
        if (i % 3 == 2) {
          store.settle();
        }
        System.out.println("total " + store.merged(all).total(0));
      }
    } catch (StoreException e) {
      System.out.println(e.getMessage());
    }
  }

  /** Deletes files long after adding them, so that most are read twice. */
  private static void readSpool(Store store) {
    RandomRecordings made = new RandomRecordings(1);
    long first = Math.max(0, store.lastAdded("child").orElse(-1) - 5);
    for (long number = first; ; number++) {
      try (Recording recording = made.recording(RandomRecordings.EPOCH, 1_000_000_000, 20)) {
        store.addCommitted(
            recording, Labels.of("service_name", "child"), new SpoolMark("child", number));
      }
      System.out.println("added " + number);
      if (number % 50 == 49) {
        store.settle();
      }
    }
  }
}
