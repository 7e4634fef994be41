package dev.plumb.server.metrics;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.pprof.PprofWriter;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * {@code /debug/pprof/profile?seconds=N}: the machine's next N seconds, for {@code go tool pprof}.
 */
public final class DebugPprofService implements HttpService {
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final int MAX_SECONDS = 600;

  private final History history;
  private final QueryScheduler scheduler;
  private final Duration settling;

  /** {@code settling} is how long samples may take to reach the store. */
  public DebugPprofService(History history, QueryScheduler scheduler, Duration settling) {
    this.history = history;
    this.scheduler = scheduler;
    this.settling = settling;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.get("/debug/pprof/profile", this::profile);
  }

  private void profile(ServerRequest request, ServerResponse response) throws InterruptedException {
    String text = request.query().first("seconds").orElse("30");
    int seconds = text.matches("\\d{1,4}") ? Integer.parseInt(text) : 0;
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw Refusal.invalid("seconds must be a number from 1 to %d", MAX_SECONDS);
    }
    Selector selector = request.query().first("selector").map(Selector::parse).orElse(Selector.ALL);
    long start = System.currentTimeMillis() * 1_000_000;
    Thread.sleep(Duration.ofSeconds(seconds).plus(settling));
    TimeRange range = new TimeRange(start, start + seconds * 1_000_000_000L);
    byte[] pprof = scheduler.run(request, () -> write(selector, range));
    response
        .header(HeaderNames.CONTENT_TYPE, "application/octet-stream")
        .header(HeaderNames.CONTENT_DISPOSITION, "attachment; filename=\"profile\"")
        .send(pprof);
  }

  private byte[] write(Selector selector, TimeRange range) {
    long length = range.toNanos() - range.fromNanos();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Recording recording =
        new Recording(
            range.fromNanos(),
            length,
            List.of(history.merged(Selection.of(CPU, selector, range))),
            Map.of())) {
      new PprofWriter().write(recording, out, WriteOptions.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
