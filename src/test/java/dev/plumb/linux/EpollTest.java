package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EpollTest {
  @Test
  void returnsTheTokenOfWhatIsReady() {
    try (Epoll epoll = new Epoll();
        Fd quiet = SystemCalls.eventfd();
        Fd loud = SystemCalls.eventfd()) {
      epoll.add(quiet.number(), 1);
      epoll.add(loud.number(), 0x1234_5678_9abc_def0L);
      assertThat(epoll.await(0)).isZero();
      signal(loud);
      assertThat(epoll.await(10_000)).isEqualTo(1);
      assertThat(epoll.ready(0)).isEqualTo(0x1234_5678_9abc_def0L);
      signal(quiet);
      assertThat(epoll.await(10_000)).isEqualTo(2);
      assertThat(Set.of(epoll.ready(0), epoll.ready(1)))
          .containsExactlyInAnyOrder(1L, 0x1234_5678_9abc_def0L);
      epoll.remove(loud.number());
      assertThat(epoll.await(0)).isEqualTo(1);
      assertThat(epoll.ready(0)).isEqualTo(1);
    }
  }

  @Test
  void waitsUntilTheTimeIsOver() {
    try (Epoll epoll = new Epoll()) {
      long start = System.nanoTime();
      assertThat(epoll.await(50)).isZero();
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(45_000_000L);
    }
  }

  /** More than one call returns: nobody is left out for ever. */
  @Test
  void manyGetTheirTurn() {
    List<Fd> all = new ArrayList<>();
    try (Epoll epoll = new Epoll()) {
      for (int i = 0; i < 150; i++) {
        Fd fd = SystemCalls.eventfd();
        all.add(fd);
        epoll.add(fd.number(), i);
        signal(fd);
      }
      Set<Long> seen = new HashSet<>();
      for (int call = 0; call < 3; call++) {
        int n = epoll.await(0);
        for (int i = 0; i < n; i++) {
          seen.add(epoll.ready(i));
        }
      }
      assertThat(seen).hasSize(150);
    } finally {
      all.forEach(Fd::close);
    }
  }

  @Test
  void aClosedDescriptorIsRefused() {
    try (Epoll epoll = new Epoll()) {
      assertThatThrownBy(() -> epoll.add(1_000_000, 1))
          .isInstanceOf(SyscallException.class)
          .hasMessageMatching("epoll_ctl\\(fd \\d+, 1, 1000000\\): EBADF");
    }
  }

  private static void signal(Fd event) {
    try (Arena arena = Arena.ofConfined()) {
      assertThat(SystemCalls.tryWrite(event.number(), arena.allocateFrom(ValueLayout.JAVA_LONG, 1)))
          .isEqualTo(8);
    }
  }
}
