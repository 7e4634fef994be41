package dev.plumb.server;

import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * {@code /login}: gives a browser that knows the token a cookie. A token in the address is answered
 * with a redirect, so that it does not stay there.
 */
final class LoginService implements HttpService {
  private static final String FORM =
      """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Plumb</title>
      <style>
        body { font: 16px system-ui, sans-serif; margin: 20vh auto; max-width: 22rem; padding: 1rem }
        input, button { font: inherit; padding: .4rem; width: 100%%; box-sizing: border-box;
          margin-top: .5rem }
      </style>
      <form method="post" action="/login">
        <label for="token">%s</label>
        <input id="token" name="token" type="password" autofocus autocomplete="current-password">
        <button>Open Plumb</button>
      </form>
      """;

  private final TokenAccess access;

  LoginService(TokenAccess access) {
    this.access = access;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.get("/login", this::ask).post("/login", this::take);
  }

  private void ask(ServerRequest request, ServerResponse response) {
    String token = request.query().first("token").orElse("");
    if (token.isEmpty()) {
      form(response, 200, "The token that this server was started with");
    } else {
      enter(request, response, token);
    }
  }

  private void take(ServerRequest request, ServerResponse response) {
    String form = new String(RequestBody.read(request, 8 * 1024), StandardCharsets.UTF_8);
    String token = "";
    for (String pair : form.split("&")) {
      if (pair.startsWith("token=")) {
        try {
          token = URLDecoder.decode(pair.substring(6), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
          throw Refusal.invalid("the form is not URL-encoded");
        }
      }
    }
    enter(request, response, token);
  }

  private void enter(ServerRequest request, ServerResponse response, String token) {
    if (!access.isLimited()) {
      response.status(Status.SEE_OTHER_303).header(HeaderNames.LOCATION, "/").send();
    } else if (access.isToken(token, request.remotePeer().host())) {
      response
          .status(Status.SEE_OTHER_303)
          .header(HeaderNames.SET_COOKIE, access.setCookie())
          .header(HeaderNames.LOCATION, "/")
          .send();
    } else {
      form(response, 401, "That is not this server's token; try again");
    }
  }

  private static void form(ServerResponse response, int status, String text) {
    response
        .status(Status.create(status))
        .header(HeaderNames.CONTENT_TYPE, "text/html; charset=utf-8")
        .send(FORM.formatted(text).getBytes(StandardCharsets.UTF_8));
  }
}
