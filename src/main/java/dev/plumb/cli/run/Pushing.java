package dev.plumb.cli.run;

import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.text.SafeText;
import dev.plumb.profile.Recording;
import dev.plumb.push.PushException;
import dev.plumb.push.PushLabels;
import dev.plumb.push.PushTarget;
import dev.plumb.push.Pusher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Pushes recordings to all receivers. */
public final class Pushing implements AutoCloseable {
  private static final long LONGEST_WAIT = 30_000_000_000L;
  private static final long SHORT_WAIT = 3_000_000_000L;

  private record Way(PushTarget target, Path spool, Pusher pusher) {}

  private final PushLabels labelling;
  private final List<Way> ways = new ArrayList<>();

  public Pushing(List<PushTarget> targets, PushLabels labelling, long spoolBytes) {
    this.labelling = labelling;
    for (PushTarget target : targets) {
      Path spool = spool(target);
      ways.add(new Way(target, spool, new Pusher(target, spool, spoolBytes)));
    }
  }

  /** Each receiver has its own, so that what one refuses is not sent to another. */
  private static Path spool(PushTarget target) {
    String name = target.protocol() + "-" + target.url() + "-" + target.tenant();
    return StateFolder.ofThisUser()
        .resolve("spool")
        .resolve(name.toLowerCase(java.util.Locale.ROOT).replaceAll("[^a-z0-9.]+", "-"));
  }

  public void push(Recording recording) {
    ways.forEach(way -> way.pusher().push(recording, labelling));
  }

  /** The state of each receiver, by its URL. */
  public Map<String, Pusher.State> states() {
    Map<String, Pusher.State> states = new LinkedHashMap<>();
    ways.forEach(way -> states.put(way.target().url().toString(), way.pusher().state()));
    return states;
  }

  /** Waits until everything is sent and reports it; fails if something was not. */
  public void finish(Consumer<String> say) {
    for (Way way : ways) {
      boolean sent = way.pusher().flush(LONGEST_WAIT);
      Pusher.State state = way.pusher().state();
      say.accept("pushed %,d samples to %s".formatted(state.sentSamples(), way.target().url()));
      if (state.refused() > 0) {
        throw new PushException(
            "%s refused %,d samples: %s"
                .formatted(way.target().url(), state.refused(), SafeText.line(state.trouble())));
      }
      if (!sent) {
        throw new PushException(
            "%s: %s; the recording waits in %s for the next push"
                .formatted(way.target().url(), SafeText.line(state.trouble()), way.spool()));
      }
    }
  }

  /** Sends for a moment more; the rest waits on disk. */
  public void flushBriefly() {
    ways.forEach(way -> way.pusher().flush(SHORT_WAIT));
  }

  @Override
  public void close() {
    ways.forEach(way -> way.pusher().close());
  }
}
