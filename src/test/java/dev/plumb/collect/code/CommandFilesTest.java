package dev.plumb.collect.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.memory.Allocator;
import dev.plumb.testing.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command will map, held against what the dynamic linker says. */
class CommandFilesTest {
  private static final Map<String, String> PLAIN = Map.of("PATH", "/usr/bin:/bin");

  @TempDir Path folder;

  @Test
  void theSameAsLdd() throws Exception {
    Path program = Path.of("/usr/bin/env").toRealPath().getParent().resolve("ls").toRealPath();
    List<Path> expected = new ArrayList<>(List.of(program));
    for (String line : Programs.run("ldd", program.toString()).lines().toList()) {
      int slash = line.indexOf('/');
      if (slash >= 0) {
        expected.add(Path.of(line.substring(slash, line.indexOf(" (", slash))).toRealPath());
      }
    }
    assertThat(CommandFiles.of(List.of("ls", "-l"), PLAIN))
        .containsExactlyInAnyOrderElementsOf(expected)
        .startsWith(program);
  }

  @Test
  void theVirtualMachineOfAJavaLauncher() throws Exception {
    Path home = Path.of(System.getProperty("java.home")).toRealPath();
    assertThat(CommandFiles.of(List.of(home.resolve("bin/java").toString()), PLAIN))
        .contains(home.resolve("lib/server/libjvm.so"), home.resolve("lib/libjava.so"));
  }

  @Test
  void preloadedByTheEnvironment() throws Exception {
    Path library = Files.createFile(folder.resolve("libmine.so")).toRealPath();
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", "LD_PRELOAD", "libnowhere.so:" + library);
    assertThat(CommandFiles.of(List.of("ls"), environment)).contains(library);
    List<String> command = List.of("env", "-i", "LD_PRELOAD=" + library, "ls");
    assertThat(CommandFiles.of(command, PLAIN)).contains(library);
  }

  @Test
  void scripts() throws Exception {
    Path shell = Path.of("/bin/sh").toRealPath();
    Path script = Files.writeString(folder.resolve("script"), "#! /bin/sh -e\necho\n");
    assertThat(CommandFiles.of(List.of(script.toString()), PLAIN)).contains(shell);
    Files.writeString(script, "#!/usr/bin/env sh\n");
    assertThat(CommandFiles.of(List.of(script.toString()), PLAIN)).contains(shell);
    Files.writeString(script, "#!" + script + "\n");
    assertThat(CommandFiles.of(List.of(script.toString()), PLAIN)).hasSize(1);
  }

  @Test
  void whatIsNotThere() {
    assertThat(CommandFiles.of(List.of("no-such-command"), PLAIN)).isEmpty();
    assertThat(CommandFiles.of(List.of("/no/such/command"), PLAIN)).isEmpty();
    assertThat(CommandFiles.of(List.of("env"), PLAIN)).isEmpty();
    assertThat(CommandFiles.of(List.of(""), PLAIN)).isEmpty();
  }

  /** Files are hostile: a broken program is no reason to fail. */
  @Test
  void brokenPrograms() throws Exception {
    byte[] whole = Files.readAllBytes(Path.of("/bin/sh"));
    Random random = new Random(7);
    Path broken = folder.resolve("broken");
    for (int i = 0; i < 300; i++) {
      byte[] bytes = whole.clone();
      for (int change = 0; change < 20; change++) {
        bytes[random.nextInt(change < 10 ? 1024 : bytes.length)] = (byte) random.nextInt();
      }
      Files.write(broken, bytes);
      assertThat(CommandFiles.of(List.of(broken.toString()), PLAIN)).isNotEmpty();
      Allocator.in(broken);
    }
  }
}
