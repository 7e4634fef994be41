package dev.plumb.server.api;

import dev.plumb.export.Formats;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.History;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The page and its API on a port of its own, on loopback. */
final class ApiTestServer implements AutoCloseable {
  private final PlumbServer server;

  ApiTestServer(History history, int port) {
    QueryScheduler scheduler = new QueryScheduler();
    ApiService api = new ApiService(history, new ServerInfo("test-host", "0.1.0", () -> true));
    server =
        PlumbServer.start(
            ServerOptions.LOCAL.listen("127.0.0.1:" + port),
            scheduler,
            List.of(api, new PageService()));
  }

  String address() {
    return "http://127.0.0.1:" + server.port() + "/";
  }

  @Override
  public void close() {
    server.close();
  }

  /** Serves recordings, for looking at the page by hand: the port, then files. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("plumb-page-");
    Store store = Store.open(StoreOptions.of(folder));
    for (int i = 1; i < arguments.length; i++) {
      try (Recording recording = Formats.read(Path.of(arguments[i])).recording()) {
        store.add(recording, Labels.of("host", "test-host"));
      }
    }
    ApiTestServer server = new ApiTestServer(store, Integer.parseInt(arguments[0]));
    System.out.println(server.address() + " " + store.span());
    Thread.currentThread().join();
  }
}
