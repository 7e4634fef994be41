package dev.plumb.export.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.export.Formats;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.file.OutputFile;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.testing.Browser;
import dev.plumb.testing.TestRecordings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser. */
class HtmlWriterTest {
  private static final Path PICTURES = Path.of("target", "pictures");
  private static final String ENTER = "\uE007";
  private static final String ESCAPE = "\uE00C";
  private static final String DOWN = "\uE015";
  private static final String RIGHT = "\uE014";

  private static Browser browser;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start(1400, 900);
  }

  @AfterAll
  static void stop() throws IOException {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void consoleIsQuiet() throws Exception {
    assertThat(browser.console()).as("the browser's console").isEmpty();
  }

  private void open(Recording recording, String hash) throws Exception {
    Path file = folder.resolve("page.html");
    Formats.save(recording, file, RoundTrip.OPTIONS);
    browser.show("about:blank");
    browser.show(file.toUri() + hash);
    browser.await("window.plumb && window.plumb.ready");
  }

  @Test
  void holdsTheTotalsOfEveryMode() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      assertThat(browser.number("plumb.total()")).isEqualTo(recording.main().total(1));
      open(recording, "#m=1");
      assertThat(browser.number("plumb.total()")).isEqualTo(recording.profiles().get(1).total(0));
      assertThat(browser.text("document.getElementById('mode').selectedOptions[0].text"))
          .isEqualTo("offcpu");
    }
  }

  @Test
  void aClickZoomsAndBackUndoes() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      clickOn("java.lang.Thread.run");
      browser.await("plumb.zoomed() === 'java.lang.Thread.run'");
      assertThat(browser.text("document.getElementById('path').textContent"))
          .isEqualTo("alljavamainjava.lang.Thread.run");
      assertThat(browser.number("plumb.find('java.lang.Thread.run')[0].width")).isGreaterThan(1300);
      browser.keys("u");
      browser.await("plumb.zoomed() === 'main'");
      browser.script("history.back()");
      browser.await("plumb.zoomed() === 'java.lang.Thread.run'");
      browser.script("history.back()");
      browser.await("plumb.zoomed() === 'all'");
    }
  }

  private static void clickOn(String name) throws Exception {
    Map<?, ?> place =
        (Map<?, ?>)
            browser.script(
                """
                const place = plumb.find('%s')[0];
                const box = document.getElementById('canvas').getBoundingClientRect();
                return { x: box.x + place.x + place.width / 2, y: box.y + place.y + 8 };
                """
                    .formatted(name));
    browser.click(((Number) place.get("x")).doubleValue(), ((Number) place.get("y")).doubleValue());
  }

  @Test
  void searchGivesTheShareOfStacksThatMatch() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      browser.keys("/main");
      browser.await("plumb.state().search === 'main'");
      double share = share(recording.main(), name -> name.contains("main"));
      assertThat(share).isBetween(0.5, 0.99);
      assertThat(browser.number("plumb.matched()")).isCloseTo(share, within(1e-9));
      assertThat(browser.text("document.getElementById('matched').textContent"))
          .contains("of 40.4\u202fs");
      browser.keys(ESCAPE);
      browser.await("plumb.state().search === ''");
      open(recording, "#s=%2Fwork.*_1%2F");
      assertThat(browser.number("plumb.matched()"))
          .isCloseTo(share(recording.main(), name -> name.matches(".*work.*_1.*")), within(1e-9));
    }
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
      sum += any ? profile.value(row, 1) : 0;
    }
    return (double) sum / profile.total(1);
  }

  @Test
  void theTableSortsAndLeadsToTheGraph() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      browser.keys("t");
      browser.await("!document.getElementById('sheet').hidden");
      assertThat(column(3)).as("self, falling").isSortedAccordingTo((a, b) -> Double.compare(b, a));
      browser.script("document.querySelector('[data-sort=total]').click()");
      browser.await("document.querySelector('th[aria-sort] [data-sort=total]')");
      assertThat(column(5))
          .as("total, falling")
          .isSortedAccordingTo((a, b) -> Double.compare(b, a));
      browser.script("document.querySelector('[data-sort=total]').click()");
      browser.await("document.querySelector('th[aria-sort=ascending] [data-sort=total]')");
      assertThat(column(5)).as("total, rising").isSorted();
      browser.script(
          "[...document.querySelectorAll('tr[data-row]')].find(r =>"
              + " r.cells[0].textContent === 'java.lang.Thread.run').click()");
      browser.await("plumb.state().view === 'icicle'");
      assertThat(browser.text("plumb.state().search")).isEqualTo("\"java.lang.Thread.run\"");
      assertThat(browser.number("plumb.matched()"))
          .isCloseTo(
              share(recording.main(), name -> name.equals("java.lang.Thread.run")), within(1e-9));
    }
  }

  /** The numbers of a column of shares. */
  private static List<Double> column(int index) throws Exception {
    List<?> texts =
        (List<?>)
            browser.script(
                "return [...document.querySelectorAll('tr[data-row]')].map(r => parseFloat(r.cells["
                    + index
                    + "].textContent))");
    assertThat(texts).hasSizeGreaterThan(10);
    return texts.stream().map(text -> ((Number) text).doubleValue()).toList();
  }

  @Test
  void kernelAndProcessesCanBeHidden() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      double total = browser.number("plumb.total()");
      assertThat(browser.number("plumb.find('do_syscall_64').length")).isPositive();
      browser.keys("k");
      browser.await("!plumb.state().kernel");
      assertThat(browser.number("plumb.find('do_syscall_64').length")).isZero();
      assertThat(browser.number("plumb.total()")).isEqualTo(total);
      assertThat(browser.number("plumb.find('[futex]').length")).isPositive();
      browser.script("document.getElementById('processes').click()");
      browser.script("document.querySelector('#panel li button').click()");
      browser.await("plumb.state().processes");
      assertThat(browser.number("plumb.find('spin').length")).isZero();
      assertThat(browser.number("plumb.find('java').length")).isEqualTo(1);
      assertThat(browser.number("plumb.total()")).isLessThan(total);
      browser.keys("r");
      browser.await("plumb.state().kernel && !plumb.state().processes");
      assertThat(browser.number("plumb.total()")).isEqualTo(total);
    }
  }

  @Test
  void keysMoveAndZoom() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      browser.keys(DOWN + DOWN + RIGHT);
      browser.await("plumb.selected() !== ''");
      String selected = browser.text("plumb.selected()");
      assertThat(selected).isEqualTo("spin");
      assertThat(browser.text("document.getElementById('foot').textContent"))
          .contains("spin")
          .contains("process")
          .contains("total")
          .contains("of 40.4\u202fs, 4\u202f000\u202fsamples");
      browser.keys(ENTER);
      browser.await("plumb.zoomed() === 'spin'");
      browser.keys("f");
      browser.await("plumb.state().view === 'flame'");
      browser.keys("?");
      browser.await("!document.getElementById('panel').hidden");
      assertThat(browser.text("document.getElementById('panel').textContent")).contains("Keys");
      browser.keys("d");
      browser.await("document.documentElement.dataset.theme === 'dark'");
    }
  }

  @Test
  void qualityIsInSight() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      assertThat(browser.text("document.getElementById('quality').textContent"))
          .isEqualTo("0.30 % lost · 0.78 % incomplete stacks · 0.23 % unnamed");
      browser.script("document.getElementById('quality').click()");
      assertThat(browser.text("document.getElementById('panel').textContent"))
          .contains("ring buffer full")
          .contains("no frame pointer")
          .contains("libgrüße.so");
    }
  }

  @Test
  void textIsReadableOnEveryColour() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      open(recording, "");
      assertThat(browser.number("plumb.leastContrast('light')")).isGreaterThanOrEqualTo(4.5);
      assertThat(browser.number("plumb.leastContrast('dark')")).isGreaterThanOrEqualTo(4.5);
    }
  }

  @Test
  void looksGoodInLightAndDark() throws Exception {
    try (Recording recording = TestRecordings.varied(400, 8_000)) {
      for (boolean dark : new boolean[] {false, true}) {
        browser.preferDark(dark);
        open(recording, "");
        String theme = dark ? "dark" : "light";
        assertThat(browser.text("document.documentElement.dataset.theme")).isEqualTo(theme);
        browser.screenshot(PICTURES.resolve("icicle-" + theme + ".png"));
        browser.keys("f/work");
        browser.screenshot(PICTURES.resolve("flame-search-" + theme + ".png"));
        browser.keys(ESCAPE + "t");
        browser.screenshot(PICTURES.resolve("table-" + theme + ".png"));
      }
      browser.preferDark(false);
      assertThat(PICTURES.resolve("table-dark.png")).isNotEmptyFile();
    }
  }

  @Test
  void fiftyThousandFramesAreDrawnWithinAFrame() throws Exception {
    try (Recording recording = TestRecordings.varied(14_000, 90_000)) {
      open(recording, "");
      double nodes = browser.number("plumb.nodes()");
      assertThat(nodes).isGreaterThan(45_000);
      List<?> times = (List<?>) browser.script("return plumb.zoomTimes(60).sort((a, b) => a - b)");
      System.out.printf(
          "%,.0f nodes: a zoom is drawn in %.1f ms (median), %.1f ms (worst of %d)%n",
          nodes, times.get(times.size() / 2), times.getLast(), times.size());
      assertThat(((Number) times.get(times.size() / 2)).doubleValue()).isLessThan(200);
    }
  }

  @Test
  void aDifferenceShowsBothSides() throws Exception {
    try (Recording before = TestRecordings.varied(200, 4_000);
        Recording after = TestRecordings.varied(200, 9_000)) {
      Difference difference =
          new Difference(before.main(), after.main(), "before", "after", "", false);
      Path file = folder.resolve("diff.html");
      OutputFile.write(file, out -> difference.writeHtml(out, ""));
      browser.show(file);
      browser.await("window.plumb && window.plumb.ready");
      assertThat(browser.number("plumb.total()")).isEqualTo(before.main().total(1));
      assertThat(browser.text("document.getElementById('foot').textContent"))
          .contains("before 40.4\u202fs, after 90.9\u202fs");
      browser.keys("t");
      browser.await("document.querySelectorAll('tr[data-row]').length > 5");
      browser.screenshot(PICTURES.resolve("diff-table.png"));
    }
  }

  @Test
  void loadsNothing() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      Path file = folder.resolve("x.html");
      Formats.save(recording, file, RoundTrip.OPTIONS);
      String page = Files.readString(file);
      assertThat(page)
          .contains("default-src 'none'")
          .doesNotContain("src=\"")
          .doesNotContain("https://")
          .doesNotContain("@import")
          .doesNotContain("<script>\"&'");
    }
  }
}
