package dev.plumb.linux.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class KallsymsTest {
  private static Kallsyms of(String... lines) throws IOException {
    Path file = Fixtures.file("kallsyms");
    Files.write(file, List.of(lines));
    return Kallsyms.load(file.toString());
  }

  @Test
  void sortsModulesInAndKeepsTheFirstOfSeveralNames() throws IOException {
    Kallsyms symbols =
        of(
            "0000000000000000 A fixed_percpu_data",
            "ffffffff81000000 T _stext",
            "ffffffff81000000 T _text",
            "ffffffff81000100 t local_function",
            "ffffffff81000200 D some_data",
            "ffffffff81000300 W weak_function",
            "ffffffffc0002000 t later\t[nf_tables]",
            "ffffffffc0001000 t earlier\t[nf_tables]",
            "ffffffffc0000800 t other\t[ext4]",
            "ffffffffc0001000 t alias\t[nf_tables]",
            "ffffffffc0003000 t bpf_prog_6deef7357e7b4530\t[bpf]");
    assertThat(symbols.problem()).isEmpty();
    assertThat(symbols.size()).isEqualTo(7);
    assertThat(place(symbols, 0xffffffff81000000L)).isEqualTo("_stext+0 ");
    assertThat(place(symbols, 0xffffffff810001ffL)).isEqualTo("local_function+255 ");
    assertThat(place(symbols, 0xffffffff81000310L)).isEqualTo("weak_function+16 ");
    assertThat(place(symbols, 0xffffffffc0000900L)).isEqualTo("other+256 ext4");
    assertThat(place(symbols, 0xffffffffc0001001L)).isEqualTo("earlier+1 nf_tables");
    assertThat(place(symbols, 0xffffffffc0002000L)).isEqualTo("later+0 nf_tables");
    assertThat(place(symbols, 0xffffffffc0003004L)).isEqualTo("bpf_prog_6deef7357e7b4530+4 bpf");
    assertThat(symbols.find(0xffffffff80ffffffL)).isEqualTo(-1);
    assertThat(symbols.find(0xffffffffb0000000L)).isEqualTo(-1);
    assertThat(symbols.find(0x401000)).isEqualTo(-1);
    assertThat(symbols.find(-1)).isEqualTo(-1);
  }

  private static String place(Kallsyms symbols, long address) {
    int symbol = symbols.find(address);
    return symbols.name(symbol)
        + "+"
        + (address - symbols.kernelAddress(symbol))
        + " "
        + symbols.module(symbol);
  }

  @Test
  void tellsHiddenAddresses() throws IOException {
    Kallsyms hidden = of("0000000000000000 T _text", "0000000000000000 t f\t[m]");
    assertThat(hidden.problem().orElseThrow()).contains("kptr_restrict");
    assertThat(hidden.size()).isZero();
    assertThat(hidden.find(0xffffffff81000000L)).isEqualTo(-1);
    assertThat(Kallsyms.load("/does/not/exist").problem().orElseThrow()).contains("not there");
    assertThat(of().problem()).isPresent();
  }

  @Test
  void agreesWithTheRunningKernel() throws IOException {
    Kallsyms symbols = Kallsyms.load();
    Assumptions.assumeTrue(symbols.problem().isEmpty());
    Map<Long, Set<String>> expected = new HashMap<>();
    for (String line : Files.readAllLines(Path.of(Kallsyms.FILE))) {
      String[] parts = line.split("[ \t]+");
      if ("tTwW".contains(parts[1])) {
        long address = Long.parseUnsignedLong(parts[0], 16);
        String module = parts.length > 3 ? parts[3] : "[]";
        expected
            .computeIfAbsent(address, a -> new HashSet<>())
            .add(parts[2] + " " + module.substring(1, module.length() - 1));
      }
    }
    int wrong = 0;
    for (Map.Entry<Long, Set<String>> e : expected.entrySet()) {
      int symbol = symbols.find(e.getKey());
      boolean right =
          symbol >= 0
              && symbols.kernelAddress(symbol) == e.getKey()
              && e.getValue().contains(symbols.name(symbol) + " " + symbols.module(symbol));
      wrong += right ? 0 : 1;
    }
    System.out.printf(
        "%d addresses, %d wrong, %d bytes%n", expected.size(), wrong, symbols.bytes());
    assertThat(symbols.size()).isGreaterThan(1000);
    // Programs come and go between the two readings.
    assertThat(wrong).isLessThan(20);
  }
}
