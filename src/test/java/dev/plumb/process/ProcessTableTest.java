package dev.plumb.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Processes over time: what a pid meant at a moment. */
class ProcessTableTest {
  private final ProcessTable table = new ProcessTable();

  @Test
  void anUnknownPidHasNoImage() {
    assertThat(table.imageAt(7, 100)).isEmpty();
    table.renamed(7, 7, "nobody");
    table.exited(7, 100);
    assertThat(table.size()).isZero();
  }

  @Test
  void aChildStartsWithAllOfItsParent() {
    process(10, 100, "parent");
    table.mapped(10, mapping(0x1000, "lib"), 110);
    table.renamed(10, 12, "worker");
    table.forked(11, 11, 10, 12, 200);
    table.mapped(10, mapping(0x2000, "later"), 300);

    ProcessImage child = at(11, 250);
    assertThat(child.comm()).as("the name of the thread that forked").isEqualTo("worker");
    assertThat(child.pid()).isEqualTo(11);
    assertThat(child.processStart()).isEqualTo(200);
    assertThat(child.mappingAt(0x1000, 250)).hasValueSatisfying(named("lib"));
    assertThat(child.mappingAt(0x2000, 400)).isEmpty();
    assertThat(at(10, 400).mappingAt(0x2000, 400)).isPresent();
  }

  @Test
  void aThreadHasItsCreatorsNameUntilItIsRenamed() {
    process(10, 100, "main");
    table.forked(10, 11, 10, 10, 110);
    assertThat(at(10, 120).threadName(11)).isEqualTo("main");
    assertThat(at(10, 120).knowsThread(11)).isTrue();
    table.renamed(10, 11, "pool");
    table.forked(10, 12, 10, 11, 130);
    assertThat(at(10, 140).threadName(12)).isEqualTo("pool");
    assertThat(at(10, 140).comm())
        .as("renaming a thread is not renaming the process")
        .isEqualTo("main");
    assertThat(at(10, 140).knowsThread(13)).isFalse();
    assertThat(at(10, 140).threadName(13)).as("not known: the process's").isEqualTo("main");
    assertThat(table.size()).as("a thread is no process").isEqualTo(1);
  }

  @Test
  void anExecLeavesTheProcessAndNoneOfItsMappings() {
    process(10, 100, "sh");
    table.mapped(10, mapping(0x1000, "sh"), 110);
    table.execed(10, "ls", 200);
    table.mapped(10, mapping(0x1000, "ls"), 210);
    table.execed(10, "cat", 300);

    assertThat(at(10, 199).comm()).isEqualTo("sh");
    assertThat(at(10, 199).mappingAt(0x1000, 199)).hasValueSatisfying(named("sh"));
    assertThat(at(10, 200).comm()).isEqualTo("ls");
    assertThat(at(10, 299).mappingAt(0x1000, 299)).hasValueSatisfying(named("ls"));
    assertThat(at(10, 1000).comm()).isEqualTo("cat");
    assertThat(at(10, 1000).mappingAt(0x1000, 1000)).isEmpty();
    assertThat(at(10, 1000).processStart()).as("still the same process").isEqualTo(100);
    assertThat(at(10, 1000).from()).isEqualTo(300);
  }

  @Test
  void aPidThatIsGivenAgainIsAnotherProcess() {
    process(10, 100, "old");
    table.exited(10, 200);
    process(1, 50, "init");
    table.forked(10, 10, 1, 1, 300);
    table.execed(10, "new", 310);

    assertThat(at(10, 150).comm()).isEqualTo("old");
    assertThat(at(10, 250).comm()).as("records of it may still be under way").isEqualTo("old");
    assertThat(at(10, 305).comm()).isEqualTo("init");
    assertThat(at(10, 400).comm()).isEqualTo("new");
    assertThat(at(10, 400).processStart()).isEqualTo(300);
  }

  /** The notice of its end was lost; that it is forked again tells the same. */
  @Test
  void aForkEndsAnOldProcessOfThatPid() {
    process(1, 50, "init");
    process(10, 100, "old");
    table.mapped(10, mapping(0x1000, "old"), 110);
    table.forked(10, 10, 1, 1, 300);
    assertThat(at(10, 400).comm()).isEqualTo("init");
    assertThat(at(10, 400).mappingAt(0x1000, 400)).isEmpty();
    table.forgetEnded(301);
    assertThat(at(10, 100).comm()).as("the old one is forgotten").isEqualTo("init");
  }

  @Test
  void beforeItsFirstEventAProcessIsWhatItWasThen() {
    process(10, 100, "early");
    assertThat(at(10, 1).comm()).isEqualTo("early");
  }

  @Test
  void whatEventsBeganInTheMiddleOfIsIncomplete() {
    table.mapped(10, mapping(0x1000, "lib"), 100);
    ProcessImage image = at(10, 100);
    assertThat(image.incomplete()).isTrue();
    assertThat(image.comm()).isEmpty();
    assertThat(table.found(10, 5, "name", 100))
        .as("/proc tells the rest of this very image")
        .isSameAs(image);

    table.forked(11, 11, 10, 10, 200);
    assertThat(at(11, 200).incomplete()).as("a child of it knows as little").isTrue();
    table.execed(11, "whole", 210);
    assertThat(at(11, 210).incomplete()).as("an exec begins anew").isFalse();
    table.forked(21, 21, 20, 20, 300);
    assertThat(at(21, 300).incomplete()).as("its parent is unknown").isTrue();
  }

  @Test
  void whatEndedIsForgottenUnlessItIsHeld() {
    process(1, 50, "init");
    for (int pid = 10; pid < 20; pid++) {
      table.forked(pid, pid, 1, 1, 100);
      table.mapped(pid, mapping(0x1000, "lib" + pid), 101);
      table.exited(pid, 100 + pid);
    }
    ProcessImage held = at(12, 105);
    assertThat(table.size()).isEqualTo(11);
    table.forgetEnded(115);
    assertThat(table.size()).as("1 and 15 to 19").isEqualTo(6);
    assertThat(table.imageAt(12, 105)).isEmpty();
    assertThat(table.imageAt(15, 105)).isPresent();
    assertThat(held.comm()).as("who holds it may still ask its name").isEqualTo("init");
    assertThat(held.mappingAt(0x1000, 105)).as("but not what it mapped").isEmpty();
    table.forgetEnded(Long.MAX_VALUE);
    assertThat(table.size()).as("what lives stays").isEqualTo(1);
  }

  @Test
  void forgettingOneLifeKeepsTheNext() {
    process(1, 50, "init");
    process(10, 100, "old");
    table.exited(10, 200);
    table.forked(10, 10, 1, 1, 300);
    table.forgetEnded(250);
    assertThat(at(10, 300).processStart()).isEqualTo(300);
    table.exited(10, 400);
    table.forgetEnded(401);
    assertThat(table.imageAt(10, 300)).isEmpty();
  }

  private void process(int pid, long start, String comm) {
    table.found(pid, start, comm, start).incomplete(false);
  }

  private ProcessImage at(int pid, long time) {
    return table.imageAt(pid, time).orElseThrow();
  }

  private static Mapping mapping(long start, String name) {
    return new Mapping(start, start + 0x1000, 0, BackingFile.ofLost(name));
  }

  private static java.util.function.Consumer<Mapping> named(String name) {
    return mapping -> assertThat(mapping.file().name()).isEqualTo(name);
  }
}
