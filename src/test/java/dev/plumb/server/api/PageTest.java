package dev.plumb.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.engine.Store;
import dev.plumb.testing.Browser;
import dev.plumb.testing.RequiresRoot;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, on what was recorded here. */
@RequiresRoot
class PageTest {
  private static final Path PICTURES = Path.of("target", "pictures");
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final String SHIFT = "\uE008";
  private static final String ENTER = "\uE007";
  private static final String ESCAPE = "\uE00C";

  @TempDir static Path folder;

  private static Store store;
  private static ApiTestServer server;
  private static Browser browser;

  /** The window of all tests: whole seconds about the recording. */
  private static TimeRange window;

  @BeforeAll
  static void start() throws Exception {
    store = Store.open(StoreOptions.of(folder.resolve("store")));
    try (Recording recording = RealData.record(3)) {
      store.add(recording, Labels.of("host", "test-host"));
    }
    TimeRange span = store.span().orElseThrow();
    long second = 1_000_000_000L;
    window =
        new TimeRange(span.fromNanos() / second * second, (span.toNanos() / second + 1) * second);
    server = new ApiTestServer(store, 0);
    browser = Browser.start(1400, 1000);
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
    if (store != null) {
      store.close();
    }
  }

  @BeforeEach
  void openPage() throws Exception {
    open("");
  }

  @AfterEach
  void consoleIsQuiet() throws Exception {
    assertThat(browser.console()).as("the browser's console").isEmpty();
  }

  private static void open(String rest) throws Exception {
    browser.show("about:blank");
    browser.show(
        server.address()
            + "#t="
            + millis(window.fromNanos())
            + "-"
            + millis(window.toNanos())
            + rest);
    ready();
  }

  private static void ready() throws Exception {
    browser.await("window.plumb && plumb.ready()");
    assertThat(browser.script("return plumb.errors()")).asString().isEqualTo("[]");
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  private static double merged(String selector, long from, long to, Selection.Slice slice) {
    TimeRange range = new TimeRange(from * 1_000_000, to * 1_000_000);
    return store.merged(new Selection(CPU, Selector.parse(selector), range, slice)).total(0);
  }

  private static double merged(String selector) {
    return merged(
        selector, millis(window.fromNanos()), millis(window.toNanos()), Selection.Slice.WHOLE);
  }

  /** A number of the state's selection. */
  private static long selected(String name) throws Exception {
    return (long) browser.number("plumb.state().selection." + name);
  }

  /** Drags over a canvas, by shares of its width and height. */
  private static void drag(
      String canvas, double fromX, double fromY, double toX, double toY, String held)
      throws Exception {
    Map<?, ?> box =
        (Map<?, ?>)
            browser.script(
                "const b = document.getElementById('%s').getBoundingClientRect();".formatted(canvas)
                    + "return { x: b.x + 52, y: b.y, width: b.width - 64, height: b.height }");
    double x = number(box, "x");
    double y = number(box, "y");
    double width = number(box, "width");
    double height = number(box, "height");
    browser.drag(x + fromX * width, y + fromY * height, x + toX * width, y + toY * height, held);
  }

  private static double number(Map<?, ?> map, String key) {
    return ((Number) map.get(key)).doubleValue();
  }

  private static void clickOn(String frame) throws Exception {
    Map<?, ?> place = (Map<?, ?>) browser.script("return plumb.find('%s')[0]".formatted(frame));
    browser.click(number(place, "x") + number(place, "width") / 2, number(place, "y") + 8);
  }

  @Test
  void showsAllThereIs() throws Exception {
    assertThat(browser.number("plumb.total()")).isEqualTo(merged("{}")).isPositive();
    assertThat(browser.number("plumb.find('spin_a').length")).isPositive();
    assertThat(browser.text("document.getElementById('time-line').textContent"))
        .contains("CPU cores used")
        .contains("spinner");
    assertThat(browser.text("document.getElementById('quality').textContent"))
        .contains("% lost")
        .contains("% incomplete stacks");
    assertThat(browser.text("document.getElementById('foot').textContent")).contains("samples");
    browser.screenshot(PICTURES.resolve("page-light.png"));
    browser.preferDark(true);
    browser.await("document.documentElement.dataset.theme === 'dark'");
    browser.screenshot(PICTURES.resolve("page-dark.png"));
    browser.preferDark(false);
    browser.await("document.documentElement.dataset.theme === 'light'");
  }

  @Test
  void aDragOnTheChartSelectsATime() throws Exception {
    drag("chart", 0.3, 0.5, 0.6, 0.5, "");
    browser.await("plumb.state().selection");
    ready();
    double total = merged("{}", selected("from"), selected("to"), Selection.Slice.WHOLE);
    assertThat(total).isPositive().isLessThan(merged("{}"));
    assertThat(browser.number("plumb.total()")).isEqualTo(total);
    browser.script("history.back()");
    browser.await("!plumb.state().selection");
    ready();
    assertThat(browser.number("plumb.total()")).isEqualTo(merged("{}"));
  }

  @Test
  void aRectangleOnTheHeatmapSelectsAPartOfEachSecond() throws Exception {
    drag("heat", 0.2, 0.21, 0.8, 0.58, "");
    browser.await("plumb.state().selection");
    ready();
    assertThat(List.of(selected("low"), selected("high"))).containsExactly(200L, 600L);
    Selection.Slice slice = new Selection.Slice(200_000_000, 600_000_000);
    double total = merged("{}", selected("from"), selected("to"), slice);
    assertThat(total).isPositive();
    assertThat(browser.number("plumb.total()")).isEqualTo(total);
    browser.keys(ESCAPE);
    browser.await("!plumb.state().selection");
  }

  @Test
  void searchGivesTheShareThatMatches() throws Exception {
    browser.keys("/spin_");
    browser.await("plumb.state().search === 'spin_'");
    Profile profile = store.merged(Selection.of(CPU, Selector.ALL, window));
    assertThat(browser.number("plumb.matched()"))
        .isCloseTo(share(profile, name -> name.contains("spin_")), within(1e-9))
        .isBetween(0.001, 1.0);
    assertThat(browser.text("document.getElementById('matched').textContent"))
        .contains("samples matched");
  }

  /** The share of stacks with a matching frame, each once however many frames match. */
  private static double share(Profile profile, Predicate<String> matches) {
    StackTable stacks = profile.stacks();
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      boolean any = matches.test(profile.thread(row).processComm());
      for (int id : stacks.frameIds(profile.stack(row))) {
        any |= matches.test(stacks.frames().get(id).name());
        any |= matches.test(stacks.frames().get(id).module());
      }
      sum += any ? profile.value(row, 0) : 0;
    }
    return (double) sum / profile.total(0);
  }

  @Test
  void aClickZoomsAndALinkReopensIt() throws Exception {
    clickOn("spinner");
    browser.await("plumb.zoomed() === 'spinner'");
    browser.keys("/\"spin_b\"");
    browser.await("plumb.state().search === '\"spin_b\"'");
    double share = browser.number("plumb.matched()");
    assertThat(share).isBetween(0.01, 0.99);
    String link = browser.text("location.href");
    browser.show("about:blank");
    browser.show(link);
    ready();
    assertThat(browser.text("plumb.zoomed()")).isEqualTo("spinner");
    assertThat(browser.number("plumb.matched()")).isEqualTo(share);
    browser.keys(ESCAPE);
    browser.await("plumb.state().search === ''");
    browser.keys("u");
    browser.await("plumb.zoomed() !== 'spinner'");
    browser.script("history.back()");
    browser.await("plumb.zoomed() === 'spinner'");
  }

  @Test
  void framesCanBeFocusedHiddenAndMerged() throws Exception {
    double all = browser.number("plumb.total()");
    Map<?, ?> place = (Map<?, ?>) browser.script("return plumb.find('spin_a')[0]");
    browser.rightClick(number(place, "x") + 2, number(place, "y") + 8);
    browser.await("document.getElementById('menu')");
    browser.script(
        "[...document.querySelectorAll('#menu button')].find(b => b.textContent.startsWith('Focus'))"
            + ".click()");
    browser.await("plumb.state().changes.length === 1");
    ready();
    double focused = browser.number("plumb.total()");
    assertThat(focused).isPositive().isLessThan(all);
    assertThat(browser.number("plumb.find('spin_b').length")).isZero();
    open("&x=exclude:spin_a");
    assertThat(browser.number("plumb.total()")).isEqualTo(all - focused);
    open("&x=hide:worker&k=0&r=0");
    assertThat(browser.number("plumb.total()")).isEqualTo(all);
    assertThat(browser.number("plumb.find('worker').length")).isZero();
    open("&m=1");
    assertThat(browser.number("plumb.total()")).isEqualTo(all);
    assertThat(browser.number("plumb.find('spin_a').length")).isZero();
  }

  @Test
  void aSecondTimeIsComparedWith() throws Exception {
    // Shares of the spinner alone: others may take what they like of the machine.
    open("&q=%7Bcomm%3D%22spinner%22%7D");
    drag("chart", 0.60, 0.5, 0.95, 0.5, "");
    browser.await("plumb.state().selection");
    drag("chart", 0.05, 0.5, 0.40, 0.5, SHIFT);
    browser.await("plumb.state().compare && plumb.state().compare.to");
    ready();
    browser.screenshot(PICTURES.resolve("page-diff.png"));
    browser.keys("gt");
    browser.await("document.querySelectorAll('#sheet tr[data-row]').length > 3");
    ready();
    Map<?, ?> change =
        (Map<?, ?>)
            browser.script(
                """
                const cells = {};
                for (const row of document.querySelectorAll('#sheet tr[data-row]')) {
                  cells[row.cells[0].textContent] = row.cells[2].className;
                }
                return cells;
                """);
    assertThat(change.get("spin_a")).as("spin_a, first much then little").isEqualTo("less");
    assertThat(change.get("spin_b")).as("spin_b, first little then much").isEqualTo("more");
    assertThat(change.containsValue("rest")).as("what chance may make is grey").isTrue();
    browser.keys("d");
    browser.await("!plumb.state().compare");
    ready();
  }

  @Test
  void everyViewOpens() throws Exception {
    browser.keys("gh");
    browser.await("document.getElementById('threads-view') && plumb.ready()");
    ready();
    assertThat(browser.number("plumb.answer('threads').off.time.length")).isPositive();
    assertThat(browser.script("return plumb.answer('threads').reasons").toString())
        .contains("pipe");
    browser.screenshot(PICTURES.resolve("page-threads.png"));
    browser.keys("gc");
    browser.await("document.getElementById('cpus-view')");
    ready();
    browser.screenshot(PICTURES.resolve("page-cpus.png"));
    browser.keys("gp");
    browser.await("document.querySelectorAll('#process-view tbody tr').length > 1");
    ready();
    assertThat(browser.text("document.getElementById('process-view').textContent"))
        .contains("spinner");
    browser.script(
        "[...document.querySelectorAll('#process-view th button')]"
            + ".find(b => b.textContent.startsWith('Pid')).click()");
    browser.await("plumb.state().order === 'pid'");
    browser.keys("gl");
    browser.await("document.querySelectorAll('#source-view tbody tr').length > 0");
    ready();
    browser.script(
        "[...document.querySelectorAll('#source-view tbody tr')]"
            + ".find(r => r.textContent.includes('spinner.c')).click()");
    browser.await("document.getElementById('source-file')");
    ready();
    browser.keys("gq");
    browser.await("document.getElementById('quality-view')");
    ready();
    browser.keys("gt");
    browser.await("document.querySelectorAll('#sheet tr[data-row]').length > 3");
    browser.script(
        "[...document.querySelectorAll('#sheet tr[data-row]')]"
            + ".find(r => r.cells[0].textContent === 'spin_a').click()");
    browser.await("plumb.state().view === 'sandwich' && plumb.ready()");
    ready();
    assertThat(browser.text("document.getElementById('tools').textContent")).contains("spin_a");
    browser.screenshot(PICTURES.resolve("page-sandwich.png"));
    browser.keys("gf?");
    browser.await("document.getElementById('panel')");
    browser.keys(ESCAPE);
    browser.await("!document.getElementById('panel')");
  }

  @Test
  void aFilterIsCompletedAndApplied() throws Exception {
    browser.script("document.getElementById('filter').focus()");
    browser.await("document.querySelectorAll('#completions li').length > 3");
    browser.keys("com");
    browser.await("document.querySelector('#completions li').textContent === 'comm'");
    browser.script(
        "document.querySelector('#completions li')"
            + ".dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))");
    browser.await("document.getElementById('filter').value === '{comm=\"'");
    browser.keys("spinne");
    browser.await("document.querySelector('#completions li')?.textContent === 'spinner'");
    browser.keys("\uE015" + ENTER);
    browser.await("plumb.state().query === '{comm=\"spinner\"}'");
    ready();
    assertThat(browser.number("plumb.total()")).isEqualTo(merged("{comm=\"spinner\"}"));
    open("&q=" + "%7Bcomm%3D%22nobody%22%7D");
    assertThat(browser.text("document.querySelector('main').textContent"))
        .contains("Nothing in this selection")
        .contains("nobody");
  }

  @Test
  void aSavedPageShowsTheSameWithoutANetwork() throws Exception {
    open("&x=exclude:spin_a&u=1&f=spin_b");
    double total = browser.number("plumb.total()");
    double matched = browser.number("plumb.matched()");
    browser.script("document.getElementById('open-save').click()");
    browser.await("document.querySelector('#panel a')");
    String address =
        browser.text(
            "[...document.querySelectorAll('#panel a')].find(a => a.textContent === '.html').href");
    Path file = folder.resolve("saved.html");
    try (HttpClient http = HttpClient.newHttpClient()) {
      http.send(
          HttpRequest.newBuilder(URI.create(address)).build(),
          HttpResponse.BodyHandlers.ofFile(file));
    }
    browser.offline(true);
    browser.show(file);
    browser.await("window.plumb && plumb.ready");
    assertThat(browser.number("plumb.total()")).isEqualTo(total);
    assertThat(browser.number("plumb.matched()")).isCloseTo(matched, within(1e-9));
    assertThat(browser.text("plumb.state().view")).isEqualTo("flame");
    browser.offline(false);
  }

  @Test
  void whatIsRecordedNowComesByItself() throws Exception {
    browser.show("about:blank");
    browser.show(server.address() + "#t=1h");
    ready();
    clickOn("spinner");
    browser.await("plumb.zoomed() === 'spinner'");
    double before = browser.number("plumb.total()");
    browser.script(
        "window.seen = []; new MutationObserver(() => window.seen.push("
            + "Boolean(document.querySelector('#stage canvas')))).observe(document.body,"
            + " { childList: true, subtree: true })");
    try (Recording recording = RealData.record(1)) {
      store.add(recording, Labels.of("host", "test-host"));
    }
    browser.await("plumb.total() > " + before);
    ready();
    assertThat(browser.text("plumb.zoomed()")).isEqualTo("spinner");
    assertThat(browser.script("return window.seen.includes(false)")).isEqualTo(false);
    browser.keys(".");
    browser.await("plumb.state().window.from");
    assertThat(browser.text("document.getElementById('live').textContent")).isEqualTo("paused");
  }

  @Test
  void aServerThatGoesAwayAndComesBackIsSaid() throws Exception {
    ApiTestServer other = new ApiTestServer(store, 0);
    String address = other.address();
    int port = URI.create(address).getPort();
    browser.show("about:blank");
    browser.show(address + "#t=1h");
    ready();
    double total = browser.number("plumb.total()");
    other.close();
    browser.await("document.querySelector('.banner')");
    assertThat(browser.number("plumb.total()")).isEqualTo(total);
    try (ApiTestServer again = new ApiTestServer(store, port)) {
      assertThat(again.address()).isEqualTo(address);
      browser.await("!document.querySelector('.banner')");
      ready();
      browser.show("about:blank");
    }
    // The browser itself notes requests that failed.
    browser.console();
  }

  @Test
  void fitsAPhone() throws Exception {
    browser.resize(390, 844);
    open("");
    for (String keys : List.of("gf", "gt", "gp", "gh")) {
      browser.keys(keys);
      ready();
      assertThat(browser.number("document.documentElement.scrollWidth"))
          .as(keys)
          .isLessThanOrEqualTo(390);
    }
    browser.keys("gf");
    ready();
    browser.screenshot(PICTURES.resolve("page-phone.png"));
    browser.resize(1400, 900);
  }
}
