package dev.plumb.cli.options;

import dev.plumb.cli.text.Stderr;
import dev.plumb.push.PushTarget;
import dev.plumb.push.PushTarget.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The receivers of pushes. */
public final class PushOptions {
  @Option(
      names = "--push",
      paramLabel = "URL",
      description = "Push to a Pyroscope server or a `plumb serve`, e.g. http://HOST:4040.")
  String pyroscope = "";

  @Option(
      names = "--push-otlp",
      paramLabel = "URL",
      description = "Push to an OpenTelemetry receiver, over HTTP, e.g. http://HOST:4318.")
  String otlp = "";

  @Option(
      names = "--push-token-file",
      paramLabel = "FILE",
      description = "File with the receiver's bearer token.")
  String tokenFile = "";

  @Option(
      names = "--push-auth-file",
      paramLabel = "FILE",
      description =
          "File with USER:PASSWORD for the receiver; or set PLUMB_PUSH_AUTH in the environment.")
  String authFile = "";

  @Option(
      names = "--push-tenant",
      paramLabel = "ID",
      description = "Tenant at the receiver (X-Scope-OrgID).")
  String tenant = "";

  @Option(
      names = "--push-ca",
      paramLabel = "FILE",
      description = "CA certificates (PEM) that must have signed the receiver's certificate.")
  String authorities = "";

  public boolean given() {
    return !pyroscope.isEmpty() || !otlp.isEmpty();
  }

  /** The receivers; fails if an option is invalid. */
  public List<PushTarget> targets() {
    List<PushTarget> targets = new ArrayList<>();
    if (!pyroscope.isEmpty()) {
      targets.add(target(Protocol.PYROSCOPE, pyroscope));
    }
    if (!otlp.isEmpty()) {
      targets.add(target(Protocol.OTLP, otlp));
    }
    if (targets.isEmpty() && !(tokenFile + authFile + tenant + authorities).isEmpty()) {
      throw new IllegalArgumentException("no receiver to push to; use --push URL");
    }
    return targets;
  }

  private PushTarget target(Protocol protocol, String url) {
    PushTarget target = PushTarget.of(protocol, url);
    if (!target.authorization().isEmpty()) {
      Stderr.say(
          "every user of this machine can read the password in the URL; put USER:PASSWORD"
              + " into a file (--push-auth-file) or into PLUMB_PUSH_AUTH");
    }
    String user = System.getenv().getOrDefault("PLUMB_PUSH_AUTH", "");
    user = authFile.isEmpty() ? user : user(authFile);
    target = user.isEmpty() ? target : target.withUser(user);
    target = tokenFile.isEmpty() ? target : target.withToken(token(tokenFile));
    target = tenant.isEmpty() ? target : target.withTenant(tenant);
    return authorities.isEmpty() ? target : target.withAuthorities(Path.of(authorities));
  }

  public static String token(String tokenFile) {
    return Secrets.read(Path.of(tokenFile), "token");
  }

  public static String user(String authFile) {
    String user = Secrets.read(Path.of(authFile), "password");
    if (user.indexOf(':') < 0) {
      throw new IllegalArgumentException(
          "the password file %s contains no USER:PASSWORD".formatted(authFile));
    }
    return user;
  }
}
