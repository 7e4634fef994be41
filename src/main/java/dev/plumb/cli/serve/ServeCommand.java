package dev.plumb.cli.serve;

import dev.plumb.cli.options.MachineFacts;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.options.TalkOptions;
import dev.plumb.cli.options.WatchOptions;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.text.Stderr;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.profile.Recording;
import dev.plumb.spool.SpoolLock;
import dev.plumb.spool.SpoolWriter;
import dev.plumb.store.StoreInUseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Records continuously, stores the recordings, and serves them on a page.
 *
 * <p>Two processes: this one records, is small, and no query can affect it; the other one ({@link
 * StoreServer}, the same command with a hidden option) holds the store and answers queries. A spool
 * connects them. When the server exits, it is restarted, and nothing is lost meanwhile.
 */
@Command(
    name = "serve",
    description =
        "Records continuously, keeps the profiles within a disk budget, and shows them on a web page.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended by a signal",
      "1:failure",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
    },
    footer = {
      "",
      "The server also speaks Pyroscope's API: its clients push to it, and Grafana's Pyroscope data",
      "source reads from it.",
      "",
      "Examples:",
      "  plumb serve                               the whole machine, at http://localhost:4040",
      "  plumb serve cpu offcpu mem --disk 10GB    more modes, more history",
      "  plumb serve --listen 0.0.0.0:4040         for other hosts too, with a token",
      "  plumb serve --no-watch                    store only what others push",
      "  plumb serve --memory 1GB                  more memory for large queries",
    })
public final class ServeCommand implements Callable<Integer> {
  @Mixin WatchOptions watchOptions = new WatchOptions();

  @Mixin StoreServerOptions serverOptions = new StoreServerOptions();

  @Option(names = "--no-watch", description = "Record nothing; store and show what others push.")
  boolean noWatch;

  /** Set in the server process: the folder that recordings come from. */
  @Option(names = "--spool", hidden = true)
  String spool = "";

  @Mixin TalkOptions talk = new TalkOptions();

  private List<String> arguments = List.of();
  private String lastTrouble = "";

  /** All arguments, for the server process. */
  public void arguments(List<String> all) {
    arguments = List.copyOf(all);
  }

  @Override
  public Integer call() throws Exception {
    RecordOptions options = watchOptions.options();
    serverOptions.require();
    if (!spool.isEmpty()) {
      return new StoreServer(serverOptions, watchOptions, talk, Path.of(spool), noWatch).run();
    }
    serverOptions.listenOptions.options(StateFolder.ofThisUser()); // fails before anything starts
    if (!noWatch) {
      Rights.require();
      Rights.shortages().forEach(Stderr::say);
    }
    StateFolder.keepPrivate();
    Interrupts interrupts = new Interrupts();
    Path folder = spoolFolder();
    try (SpoolLock lock = lock(folder);
        ServerProcess server = ServerProcess.start(arguments, folder, serverOptions.memory())) {
      BooleanSupplier done = () -> interrupts.seen() || server.hasGivenUp();
      if (noWatch) {
        server.recordingHasBegun();
        while (!done.getAsBoolean()) {
          Thread.sleep(100);
        }
      } else {
        watch(options, new SpoolWriter(folder, serverOptions.spoolBytes()), server, done);
      }
      interrupts.underWay(() -> "waiting for the server to store the rest");
      return server.end();
    }
  }

  /**
   * In the store's folder, so that the next start finds what is left; else in a temporary folder.
   */
  private Path spoolFolder() throws IOException {
    Path inStore = serverOptions.folder().resolve("spool");
    try {
      new SpoolWriter(inStore, 0);
      return inStore;
    } catch (IOException e) {
      return Files.createTempDirectory("plumb-spool"); // the server says what is wrong
    }
  }

  private SpoolLock lock(Path folder) throws IOException {
    Optional<SpoolLock> lock = SpoolLock.take(folder);
    if (lock.isEmpty()) {
      throw new StoreInUseException(
          "the store in %s is in use by process %s%s"
              .formatted(
                  serverOptions.folder(),
                  SpoolLock.owner(folder),
                  ServerProcess.address(folder).map(at -> "; it answers at " + at).orElse("")));
    }
    return lock.get();
  }

  private void watch(
      RecordOptions options, SpoolWriter writer, ServerProcess server, BooleanSupplier done) {
    try (ContinuousRecording watch =
        new ContinuousRecording(
            options,
            serverOptions.intervalNanos,
            MachineFacts::all,
            recording -> keep(writer, recording, server))) {
      watch.run(server::recordingHasBegun, done);
    }
  }

  /** Recording continues while the disk is full: it may not stay so. */
  private void keep(SpoolWriter writer, Recording recording, ServerProcess server) {
    String trouble = writer.add(recording);
    server.poke();
    // Once, not every few seconds.
    if (!trouble.equals(lastTrouble)) {
      Stderr.say(
          trouble.isEmpty() ? "recordings are kept again" : "recordings are not kept: " + trouble);
      lastTrouble = trouble;
    }
  }
}
