package dev.plumb.bpf;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.Extern;
import dev.plumb.bpf.object.Externs;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.ObjectReader;
import dev.plumb.linux.kernel.KernelVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Values of the kernel's configuration for {@code __kconfig} externs. */
final class KernelConfig {
  private static final Path OF_RUNNING = Path.of("/proc/config.gz");

  private final Btf btf;
  private final byte[] contents;

  private KernelConfig(Btf btf, int size) {
    this.btf = btf;
    this.contents = new byte[size];
  }

  /** The map of all of them, filled; empty if the object asks for none. */
  static Optional<MapSpec> map(Btf btf, List<Extern> externs) {
    int size = 0;
    Set<String> options = new HashSet<>();
    for (Extern extern : externs) {
      if (extern.kind() instanceof Extern.Config(int type, int bytes, int offset)) {
        size = Math.max(size, offset + bytes);
        if (extern.name().startsWith("CONFIG_")) {
          options.add(extern.name());
        }
      }
    }
    if (size == 0) {
      return Optional.empty();
    }
    KernelConfig config = new KernelConfig(btf, size);
    Map<String, String> values = options.isEmpty() ? Map.of() : read(options);
    for (Extern extern : externs) {
      if (extern.kind() instanceof Extern.Config place) {
        config.put(extern, place, values);
      }
    }
    return Optional.of(
        ObjectReader.dataMap(Externs.KCONFIG, config.contents, true)
            .types(0, btf.find(Externs.KCONFIG, BtfKind.DATASEC)));
  }

  private void put(Extern extern, Extern.Config place, Map<String, String> values) {
    switch (extern.name()) {
      case "LINUX_KERNEL_VERSION" -> number(extern, place, KernelVersion.current().code());
      case "LINUX_HAS_BPF_COOKIE" -> number(extern, place, Feature.COOKIES.present() ? 1 : 0);
      case "LINUX_HAS_SYSCALL_WRAPPER" -> number(extern, place, hasSyscallWrappers() ? 1 : 0);
      default -> {
        String value = values.get(extern.name());
        if (value != null) {
          parse(extern, place, value);
        } else if (!extern.weak()) {
          throw new BpfException(
              "the kernel's configuration is not readable or does not set " + extern.name());
        }
      }
    }
  }

  private static boolean hasSyscallWrappers() {
    List<String> names = List.of("__x64_sys_bpf", "__arm64_sys_bpf");
    return !KernelSymbols.addresses(names).isEmpty();
  }

  private void parse(Extern extern, Extern.Config place, String value) {
    if (value.startsWith("\"")) {
      text(extern, place, value.substring(1, Math.max(1, value.lastIndexOf('"'))));
      return;
    }
    switch (value) {
      case "y", "n", "m" -> answer(extern, place, value.charAt(0));
      default -> {
        try {
          number(
              extern,
              place,
              value.startsWith("0x")
                  ? Long.parseUnsignedLong(value.substring(2), 16)
                  : Long.parseLong(value));
        } catch (NumberFormatException e) {
          throw new BpfException(extern.name() + "=" + value + " is not a number", e);
        }
      }
    }
  }

  /** A char holds the letter, a bool yes or no, an enum libbpf_tristate no 0, yes 1, module 2. */
  private void answer(Extern extern, Extern.Config place, char letter) {
    int type = place.type();
    boolean isBool = isBool(type);
    boolean isChar = btf.kind(type) == BtfKind.INT && place.size() == 1 && !isBool;
    if (isChar) {
      contents[place.offset()] = (byte) letter;
    } else if (isBool && letter != 'm') {
      contents[place.offset()] = (byte) (letter == 'y' ? 1 : 0);
    } else if (btf.kind(type) == BtfKind.ENUM) {
      number(extern, place, letter == 'y' ? 1 : letter == 'm' ? 2 : 0);
    } else {
      throw mismatch(extern, place, String.valueOf(letter));
    }
  }

  private boolean isBool(int type) {
    return btf.kind(type) == BtfKind.INT && (btf.intInfo(type) >>> 26 & 1) != 0;
  }

  private void number(Extern extern, Extern.Config place, long value) {
    int kind = btf.kind(place.type());
    boolean fits =
        place.size() == 8
            || place.size() < 8
                && value >= -(1L << (place.size() * 8 - 1))
                && value < 1L << place.size() * 8;
    boolean wrongBool = isBool(place.type()) && value != 0 && value != 1;
    if (kind != BtfKind.INT && kind != BtfKind.ENUM || !fits || wrongBool) {
      throw mismatch(extern, place, Long.toString(value));
    }
    for (int i = 0; i < place.size(); i++) {
      contents[place.offset() + i] = (byte) (value >>> i * 8);
    }
  }

  private void text(Extern extern, Extern.Config place, String value) {
    if (btf.kind(place.type()) != BtfKind.ARRAY) {
      throw mismatch(extern, place, '"' + value + '"');
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, contents, place.offset(), Math.min(bytes.length, place.size() - 1));
  }

  private BpfException mismatch(Extern extern, Extern.Config place, String value) {
    return new BpfException(
        extern.name() + "=" + value + " does not fit " + btf.describe(place.type()));
  }

  /** {@code CONFIG_X=value} lines of the names that are wanted. */
  private static Map<String, String> read(Set<String> wanted) {
    Map<String, String> values = new HashMap<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(open(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int equals = line.indexOf('=');
        if (equals > 0 && wanted.contains(line.substring(0, equals))) {
          values.put(line.substring(0, equals), line.substring(equals + 1));
        }
      }
    } catch (IOException e) {
      // Weak externs can do without; of the others it is said which one is not set.
      return values;
    }
    return values;
  }

  private static InputStream open() throws IOException {
    if (Files.isReadable(OF_RUNNING)) {
      return new GZIPInputStream(Files.newInputStream(OF_RUNNING));
    }
    String release = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
    return Files.newInputStream(Path.of("/boot/config-" + release));
  }
}
