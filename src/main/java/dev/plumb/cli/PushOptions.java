package dev.plumb.cli;

import dev.plumb.push.PushTarget;
import dev.plumb.push.PushTarget.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where recordings are sent to. */
final class PushOptions {
  @Option(
      names = "--push",
      paramLabel = "URL",
      description =
          "Send it to a Pyroscope, or to a `plumb serve`: http://[USER:PASSWORD@]HOST:4040")
  String pyroscope = "";

  @Option(
      names = "--push-otlp",
      paramLabel = "URL",
      description = "Send it to an OpenTelemetry receiver, over HTTP: http://HOST:4318")
  String otlp = "";

  @Option(
      names = "--push-token-file",
      paramLabel = "FILE",
      description = "Holds the bearer token that the receiver wants.")
  String tokenFile = "";

  @Option(
      names = "--push-tenant",
      paramLabel = "ID",
      description = "The receiver's tenant (X-Scope-OrgID).")
  String tenant = "";

  @Option(
      names = "--push-ca",
      paramLabel = "FILE",
      description = "Certificates (PEM) that the receiver's has to come from.")
  String authorities = "";

  boolean given() {
    return !pyroscope.isEmpty() || !otlp.isEmpty();
  }

  /** Fails if they cannot be meant. */
  List<PushTarget> targets() {
    List<PushTarget> targets = new ArrayList<>();
    if (!pyroscope.isEmpty()) {
      targets.add(target(Protocol.PYROSCOPE, pyroscope));
    }
    if (!otlp.isEmpty()) {
      targets.add(target(Protocol.OTLP, otlp));
    }
    if (targets.isEmpty() && !(tokenFile + tenant + authorities).isEmpty()) {
      throw new IllegalArgumentException("nothing is pushed: say where to with --push URL");
    }
    return targets;
  }

  private PushTarget target(Protocol protocol, String url) {
    PushTarget target = PushTarget.of(protocol, url);
    target = tokenFile.isEmpty() ? target : target.withToken(token(tokenFile));
    target = tenant.isEmpty() ? target : target.withTenant(tenant);
    return authorities.isEmpty() ? target : target.withAuthorities(Path.of(authorities));
  }

  static String token(String tokenFile) {
    try {
      return Files.readString(Path.of(tokenFile)).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the token file %s cannot be read: %s".formatted(tokenFile, e.getMessage()), e);
    }
  }
}
