package dev.plumb.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.Store;
import dev.plumb.testing.Browser;
import dev.plumb.testing.TestRecordings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page with far more frames than pixels, and with none at all. */
class LargePageTest {
  @TempDir Path folder;

  @Test
  void manyFramesAreDrawnWithinAFrameOfTheScreen() throws Exception {
    try (Store store = Store.open(StoreOptions.of(folder));
        ApiTestServer server = new ApiTestServer(store, 0);
        Browser browser = Browser.start(1400, 1000)) {
      browser.show(server.address());
      browser.await("document.querySelector('.note')");
      assertThat(browser.text("document.querySelector('main').textContent"))
          .contains("Nothing has been recorded yet");
      try (Recording recording = TestRecordings.varied(34_000, 160_000)) {
        store.add(recording, Labels.of("host", "test-host"));
      }
      browser.await("document.querySelector('#time')");
      browser.await("document.querySelector('main').textContent.includes('Nothing in this')");
      browser.await(
          "[...document.querySelectorAll('main button')].some(b => /newest/.test(b.textContent))");
      browser.script(
          "[...document.querySelectorAll('main button')].find(b => /newest/.test(b.textContent))"
              + ".click()");
      browser.await("plumb.ready() && plumb.answer('graph')");
      double cut = browser.number("plumb.nodes()");
      assertThat(browser.number("plumb.answer('graph').cut.stacks")).isPositive();
      assertThat(browser.number("JSON.stringify(plumb.answer('graph').tree).length"))
          .isLessThan(1_000_000);
      String zoomed = browser.text("plumb.zoomInto(2)");
      browser.await("plumb.zoomed() === " + quoted(zoomed) + " && plumb.ready()");
      assertThat(browser.number("plumb.nodes()")).as("more below it").isGreaterThan(cut);
      browser.show("about:blank");
      browser.show(
          server.address()
              + "?keep=1000000#t="
              + TestRecordings.START / 1_000_000
              + "-"
              + (TestRecordings.START / 1_000_000 + 1_000_000));
      browser.await("window.plumb && plumb.ready() && plumb.answer('graph')");
      double nodes = browser.number("plumb.nodes()");
      assertThat(nodes).isGreaterThan(90_000);
      List<?> times = (List<?>) browser.script("return plumb.zoomTimes(60).sort((a, b) => a - b)");
      System.out.printf(
          "%,.0f of %,.0f nodes: a zoom is drawn in %.1f ms (median), %.1f ms (worst of %d)%n",
          cut, nodes, times.get(times.size() / 2), times.getLast(), times.size());
      assertThat(((Number) times.get(times.size() / 2)).doubleValue()).isLessThan(200);
      assertThat(browser.console()).isEmpty();
    }
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
