package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** A process of its own that has a store open. */
final class Crasher {
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
}
