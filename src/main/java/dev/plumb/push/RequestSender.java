package dev.plumb.push;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Sends a request and reports what became of it. */
final class RequestSender implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int MOST_OF_ANSWER = 512;

  /** What became of a request. */
  sealed interface Outcome {
    /** The receiver acknowledged it. */
    record Taken() implements Outcome {}

    /** The receiver is not there, or cannot take anything now. */
    record NotNow(String why, long waitNanos) implements Outcome {}

    /** The receiver's rate limit was exceeded. */
    record TooFast(String why, long waitNanos) implements Outcome {}

    /** The receiver may take it in parts. */
    record TooLarge(String why) implements Outcome {}

    /** The receiver will not take it, however often it is sent. */
    record Refused(String why) implements Outcome {}
  }

  private final PushTarget target;
  private final HttpClient client;

  RequestSender(PushTarget target) {
    this.target = target;
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
    target.authorities().ifPresent(file -> builder.sslContext(trusting(file)));
    this.client = builder.build();
  }

  /** Trusts these CA certificates alone, not the JDK's. */
  private static SSLContext trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority" + number++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new PushException(
          "cannot read certificates from %s (%s); the file must contain PEM"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  Outcome send(PushBatch batch) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target.url() + batch.path()))
            .timeout(ANSWER)
            .header("Content-Type", batch.contentType())
            .POST(BodyPublishers.ofByteArray(batch.body()));
    if (batch.path().startsWith("/push.")) {
      request.header("Connect-Protocol-Version", "1");
    }
    if (!target.authorization().isEmpty()) {
      request.header("Authorization", target.authorization());
    }
    if (!target.tenant().isEmpty()) {
      request.header("X-Scope-OrgID", target.tenant());
    }
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        return outcome(response, body);
      }
    } catch (IOException e) {
      return new Outcome.NotNow("cannot be reached (%s)".formatted(why(e)), 0);
    }
  }

  private static String why(IOException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  private static Outcome outcome(HttpResponse<?> response, InputStream body) throws IOException {
    int status = response.statusCode();
    if (status / 100 == 2) {
      body.readNBytes(MOST_OF_ANSWER);
      return new Outcome.Taken();
    }
    String text = new String(body.readNBytes(MOST_OF_ANSWER), StandardCharsets.UTF_8).strip();
    String why = "HTTP " + status + (text.isEmpty() ? "" : ": " + text);
    return switch (status) {
      case 429 ->
          new Outcome.TooFast(
              "refused for now: too many bytes per second (HTTP 429)", wait(response));
      case 413 -> new Outcome.TooLarge("too large (%s)".formatted(why));
      default ->
          status == 408 || status >= 500
              ? new Outcome.NotNow("cannot take it now (%s)".formatted(why), wait(response))
              : new Outcome.Refused("refused (%s)".formatted(why));
    };
  }

  private static long wait(HttpResponse<?> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(seconds -> seconds.matches("\\d{1,4}"))
        .map(seconds -> Long.parseLong(seconds) * 1_000_000_000)
        .orElse(0L);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
