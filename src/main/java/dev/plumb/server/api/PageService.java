package dev.plumb.server.api;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.GzipResponse;
import dev.plumb.server.http.Refusal;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/**
 * Serves the page's files. Their paths contain a hash over all files, so that a browser requests
 * each once and never mixes two versions. The page itself is requested each time.
 */
public final class PageService implements HttpService {
  /** Only files from this server; no inline scripts and styles. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data: blob:; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private final PageFiles files = new PageFiles();

  @Override
  public void routing(HttpRules rules) {
    rules.get("/", this::page);
    rules.get("/static/*", this::file);
  }

  private void page(ServerRequest request, ServerResponse response) {
    response.header(HeaderNames.create("Content-Security-Policy"), POLICY);
    response.header(HeaderNames.CACHE_CONTROL, "no-cache");
    send(request, response, files.page());
  }

  private void file(ServerRequest request, ServerResponse response) {
    files
        .find(request.path().path())
        .ifPresentOrElse(
            file -> {
              response.header(HeaderNames.CACHE_CONTROL, "public, max-age=31536000, immutable");
              send(request, response, file);
            },
            () -> {
              throw new Refusal(
                  ErrorCode.NOT_FOUND, "no such file: the server was updated; reload the page");
            });
  }

  private static void send(
      ServerRequest request, ServerResponse response, PageFiles.PageFile file) {
    response.header(HeaderNames.ETAG, file.tag());
    response.header(HeaderNames.VARY, "Accept-Encoding");
    response.header(HeaderNames.create("X-Content-Type-Options"), "nosniff");
    boolean known =
        request
            .headers()
            .first(HeaderNames.IF_NONE_MATCH)
            .map(tags -> tags.contains(file.tag()))
            .orElse(false);
    if (known) {
      response.status(Status.NOT_MODIFIED_304).send();
      return;
    }
    response.header(HeaderNames.CONTENT_TYPE, file.type());
    if (GzipResponse.isAccepted(request)) {
      response.header(HeaderNames.CONTENT_ENCODING, "gzip");
      response.send(file.packed());
    } else {
      response.send(file.plain());
    }
  }
}
