package dev.plumb.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.testing.Browser;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signing in with a real browser, which sends an Origin of its own with the form. */
class LoginTest {
  private static final String TOKEN = "correct-horse-battery";

  private static PlumbServer start() {
    return PlumbServer.start(
        ServerOptions.LOCAL.listen("127.0.0.1:0").withToken(TOKEN),
        new QueryScheduler(),
        List.of(new PageService()));
  }

  @Test
  void theFormOpensThePage() throws Exception {
    try (PlumbServer server = start();
        Browser browser = Browser.start(800, 600)) {
      browser.show(server.address());
      assertThat(browser.text("location.pathname")).isEqualTo("/login");
      browser.keys(TOKEN);
      browser.script("document.forms[0].submit()");
      browser.await("location.pathname == '/'");
      assertThat(browser.text("document.title")).contains("Plumb");
      assertThat(browser.text("String(document.forms.length)")).isEqualTo("0");
    }
  }

  @Test
  void aTokenInTheAddressDoesNotStayThere() throws Exception {
    try (PlumbServer server = start();
        Browser browser = Browser.start(800, 600)) {
      browser.show(server.address() + "login?token=" + TOKEN);
      browser.await("location.pathname == '/'");
      assertThat(browser.text("location.href")).doesNotContain(TOKEN);
      assertThat(browser.text("document.referrer")).doesNotContain(TOKEN);
      assertThat(browser.text("String(history.length)")).isEqualTo("2");
      browser.show(server.address());
      assertThat(browser.text("location.pathname")).isEqualTo("/");
    }
  }
}
