package dev.plumb.export.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.export.Formats;
import dev.plumb.export.RoundTrip;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Browser;
import dev.plumb.testing.TestRecordings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class SvgWriterTest {
  @TempDir Path folder;

  private Path save(Recording recording) {
    return Formats.save(recording, folder.resolve("x.svg"), RoundTrip.OPTIONS.withMode("cpu"))
        .getFirst();
  }

  @Test
  void isStrictXmlWithTheRightWidths() throws Exception {
    try (Recording recording = TestRecordings.varied()) {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      Document document = factory.newDocumentBuilder().parse(save(recording).toFile());
      NodeList groups = document.getElementsByTagName("g");
      CallTree tree = CallTree.of(recording.main(), 1);
      double processes = 0;
      Set<String> titles = new HashSet<>();
      for (int i = 0; i < groups.getLength(); i++) {
        Element group = (Element) groups.item(i);
        Element box = (Element) group.getElementsByTagName("rect").item(0);
        if (group.getParentNode().getNodeName().equals("svg")) {
          continue;
        }
        titles.add(group.getElementsByTagName("title").item(0).getTextContent().split(" · ")[0]);
        if (box.getAttribute("y").equals("69")) {
          processes += Double.parseDouble(box.getAttribute("width"));
        }
      }
      assertThat(processes).isCloseTo(1184, within(0.1));
      assertThat(groups.getLength()).isBetween(50, tree.size() + 1);
      assertThat(titles).contains("f38\n<script>\"&'", "my app;x", "inner<int, 3>");
    }
  }

  @Test
  void worksInABrowser() throws Exception {
    try (Recording recording = TestRecordings.varied();
        Browser browser = Browser.start(1300, 700)) {
      browser.show(save(recording));
      browser.await("window.plumb && window.plumb.ready");
      double share = browser.number("plumb.search('java.lang.Thread')");
      assertThat(share).isBetween(0.1, 0.99);
      assertThat(browser.text("document.getElementById('foot').textContent"))
          .contains("% of all matches");
      browser.screenshot(Path.of("target", "pictures", "still.png"));
      browser.script("plumb.zoom('spin')");
      assertThat(
              browser.number(
                  "[...document.querySelectorAll('#frames > g')].filter(g =>"
                      + " g.querySelector('title').textContent.startsWith('spin ·'))[0]"
                      + ".querySelector('rect').getAttribute('width')*1"))
          .isCloseTo(1184, within(0.1));
      assertThat(browser.console()).isEmpty();
    }
  }
}
