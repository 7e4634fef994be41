package dev.plumb.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What was mapped at an address at a time. */
class ProcessImageTest {
  private final ProcessImage image = new ProcessImage(10, 1, 1);

  @Test
  void aLaterMappingLiesOverAnEarlierOne() {
    image.map(mapping(0x1000, 0x9000, "wide"), 100);
    image.map(mapping(0x3000, 0x5000, "over"), 200);
    assertThat(name(0x3000, 150)).contains("wide");
    assertThat(name(0x3000, 200)).contains("over");
    assertThat(name(0x4fff, 300)).contains("over");
    assertThat(name(0x5000, 300)).as("its end is outside").contains("wide");
    assertThat(name(0x2fff, 300)).contains("wide");
    image.map(mapping(0x1000, 0x9000, "all"), 400);
    assertThat(name(0x4000, 400)).contains("all");
    assertThat(name(0x4000, 399)).contains("over");
  }

  /** Asked in any order: what was found last must not stand in the way. */
  @Test
  void whatLiesOverIsFoundAfterWhatLiesUnder() {
    image.map(mapping(0x1000, 0x9000, "wide"), 100);
    image.map(mapping(0x3000, 0x5000, "over"), 200);
    for (int i = 0; i < 3; i++) {
      assertThat(name(0x2000, 300)).contains("wide");
      assertThat(name(0x3000, 300)).contains("over");
      assertThat(name(0x4000, 300)).contains("over");
      assertThat(name(0x4000, 150)).contains("wide");
    }
  }

  /** Often enough asked, it is looked up another way. */
  @Test
  void whatIsAskedOftenIsAnsweredAsBefore() {
    Random random = new Random(7);
    for (int event = 1; event <= 60; event++) {
      long start = random.nextInt(64) * 0x1000L;
      image.map(mapping(start, start + 0x1000 + random.nextInt(8) * 0x1000L, "m" + event), event);
    }
    List<Optional<String>> first = new ArrayList<>();
    for (long address = 0; address < 24 * 0x1000; address += 0x1000) {
      first.add(name(address, 100));
    }
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < first.size(); i++) {
        assertThat(name(i * 0x1000L, 100)).isEqualTo(first.get(i));
      }
    }
    image.map(mapping(0x1000, 0x2000, "last"), 200);
    assertThat(name(0x1800, 300)).contains("last");
  }

  /** A library that was unloaded, another one loaded in its place. */
  @Test
  void thePlaceOfAnUnloadedLibrary() {
    image.map(mapping(0x1000, 0x2000, "first"), 100);
    image.map(mapping(0x1000, 0x2000, "second"), 200);
    assertThat(name(0x1800, 199)).contains("first");
    assertThat(name(0x1800, 201)).contains("second");
  }

  /** A stack may be a moment older than the notice of the mapping it lies in. */
  @Test
  void beforeAnyMappingTheEarliestIsMeant() {
    image.map(mapping(0x1000, 0x2000, "first"), 100);
    image.map(mapping(0x1000, 0x2000, "second"), 200);
    assertThat(name(0x1800, 50)).contains("first");
  }

  @Test
  void whatProcTellsIsOlderThanEvents() {
    image.map(mapping(0x1000, 0x2000, "event"), 100);
    image.mapEarlier(mapping(0x1000, 0x3000, "proc"), 0);
    assertThat(name(0x1000, 99)).contains("proc");
    assertThat(name(0x1000, 100)).contains("event");
    assertThat(name(0x2000, 100)).contains("proc");
  }

  @Test
  void nothingIsMappedElsewhere() {
    image.map(mapping(0x1000, 0x2000, "lib"), 100);
    assertThat(name(0xfff, 100)).isEmpty();
    assertThat(name(0x2000, 100)).isEmpty();
    assertThat(name(0, 100)).isEmpty();
  }

  /** The vsyscall page lies in the upper half, where a signed comparison goes wrong. */
  @Test
  void addressesAreUnsigned() {
    image.map(mapping(0x7fff_ffff_f000L, 0xffff_ffff_ff60_0000L, "low"), 100);
    image.map(mapping(0xffff_ffff_ff60_0000L, 0xffff_ffff_ff60_1000L, "[vsyscall]"), 100);
    assertThat(name(0xffff_ffff_ff60_0000L, 100)).contains("[vsyscall]");
    assertThat(name(0x8000_0000_0000_0000L, 100)).contains("low");
    assertThat(name(0x1000, 100)).isEmpty();
  }

  @Test
  void anAddressIsAPlaceInItsFile() {
    Mapping mapping = new Mapping(0x7000, 0x9000, 0x2000, BackingFile.ofLost("lib"));
    assertThat(mapping.fileOffsetOf(0x7123)).isEqualTo(0x2123);
  }

  @Test
  void whereItRunsIsInheritedUntilItIsRead() {
    image.name(10, "parent");
    image.place(3, "/docker/x", false);
    assertThat(image.placed()).isTrue();
    ProcessImage child = image.forkedAs(11, 10, 50);
    assertThat(child.cgroup()).isEqualTo("/docker/x");
    assertThat(child.innerPid()).as("not its parent's").isEqualTo(11);
    assertThat(child.placed()).isFalse();
    ProcessImage next = image.execed("other", 60);
    assertThat(next.innerPid()).isEqualTo(3);
    assertThat(next.cgroup()).isEqualTo("/docker/x");
    assertThat(next).hasToString("other (10, 0 mappings)");
  }

  private Optional<String> name(long processAddress, long time) {
    return image.mappingAt(processAddress, time).map(mapping -> mapping.file().name());
  }

  private static Mapping mapping(long start, long end, String name) {
    return new Mapping(start, end, 0, BackingFile.ofLost(name));
  }
}
