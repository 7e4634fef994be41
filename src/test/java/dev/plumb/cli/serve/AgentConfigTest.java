package dev.plumb.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.cli.options.TargetRule;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.push.PushLabels;
import dev.plumb.push.PushTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {
  private static final String PUSH = "push: [{url: 'http://host:4040'}]\n";

  /** The page's example is one that is understood. */
  @Test
  void readsTheDocumentedExample() throws Exception {
    String page = Files.readString(Path.of("docs/agent.md"));
    int start = page.indexOf("```yaml\n") + 8;
    AgentConfig config = AgentConfig.parse(page.substring(start, page.indexOf("```", start)));
    assertThat(config.push()).hasSize(2);
    assertThat(config.push().get(1).protocol()).isEqualTo(PushTarget.Protocol.OTLP);
    assertThat(config.intervalNanos()).isEqualTo(15_000_000_000L);
    assertThat(config.watch().frequency.hertz).isEqualTo(97);
    assertThat(config.watch().modes).containsExactly("cpu", "offcpu");
    assertThat(config.rules()).hasSize(2);
    assertThat(config.memoryBytes()).isEqualTo(200L << 20);
  }

  @Test
  void theFirstRuleThatMatchesDecides() {
    AgentConfig config =
        AgentConfig.parse(
            PUSH
                + """
                labels: {env: test}
                targets:
                  - match: {comm: 'kworker.*'}
                    drop: true
                  - match: {comm: 'java', cgroup: '.*shop.*'}
                    labels: {service_name: shop}
                  - match: {comm: 'ja.*'}
                    labels: {team: others}
                """);
    Labels common = new Labels(config.watch().allLabels());
    PushLabels labelling = TargetRule.labelling(config.rules(), common);
    assertThat(labelling.labels(thread("kworker/0:1", ""))).isEmpty();
    assertThat(labelling.labels(thread("java", "/a/shop-1")).orElseThrow().values())
        .containsEntry("service_name", "shop")
        .containsEntry("env", "test")
        .doesNotContainKey("team");
    assertThat(labelling.labels(thread("java", "/b")).orElseThrow().values())
        .containsEntry("team", "others");
    assertThat(labelling.labels(thread("bash", "/b"))).contains(common);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "herz: 99 | herz: no such setting",
        "hertz: often | hertz: must be a whole number",
        "hertz: 0 | -F 0: the sampling frequency must be at least 1 Hz",
        "interval: soon | interval: 'soon' is not a duration",
        "interval: 1h | interval: must be from 1s to 5m",
        "modes: cpu | modes: must be a list",
        "modes: [cpi] | unknown mode 'cpi'",
        "memory: much | memory: 'much' is not a size",
        "targets: [{match: {com: x}}] | targets[1].match.com: no such setting",
        "targets: [{match: {comm: '('}}] | targets[1].match.comm: Unclosed group",
        "scope: {pids: [99999999]} | 99999999",
        "scope: 7 | scope: must have keys and values",
        "'a: [' | invalid YAML",
        "[1] | must be keys and values",
      })
  void saysWhatIsWrong(String line, String message) {
    String text = line.startsWith("'") ? "a: [" : line.startsWith("[") ? "[1]" : PUSH + line;
    assertThatThrownBy(() -> AgentConfig.parse(text)).hasMessageContaining(message);
  }

  @Test
  void wantsSomewhereToPushTo() {
    assertThatThrownBy(() -> AgentConfig.parse("hertz: 9")).hasMessageContaining("--push URL");
    assertThatThrownBy(() -> AgentConfig.parse("push: [{uri: 'x'}]")).hasMessageContaining("URL");
    assertThatThrownBy(() -> AgentConfig.parse("push: [{url: 'http://h', protocol: smtp}]"))
        .hasMessageContaining("push[1].protocol: must be one of");
  }

  @Test
  void bombsAreRefused() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      bomb.append("a%d: &a%d [".formatted(i, i));
      bomb.append(("*a" + (i - 1) + ", ").repeat(10)).append("]\n");
    }
    assertThatThrownBy(() -> AgentConfig.parse(bomb.toString()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AgentConfig.parse("x: " + "y".repeat(2 << 20)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theUnitStartsTheAgent() throws Exception {
    List<String> unit = Files.readAllLines(Path.of("docs/plumb-agent.service"));
    assertThat(unit).anyMatch(line -> line.startsWith("ExecStart=") && line.contains("agent"));
    assertThat(unit).anyMatch(line -> line.startsWith("ExecReload=") && line.contains("HUP"));
  }

  private static ThreadInfo thread(String comm, String cgroup) {
    return new ThreadInfo(7, 7, 7, 0, comm, comm, cgroup);
  }
}
