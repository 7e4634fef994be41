package dev.plumb.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Child;
import dev.plumb.testing.Fixtures;
import dev.plumb.unwind.rule.UnwindEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unwinds real processes without frame pointers and holds the frames against elfutils'. */
@EnabledIf(
    value = "dev.plumb.testing.Root#is",
    disabledReason = "needs root: it reads the registers of other processes")
@Timeout(60)
class StackUnwinderTest {
  private static final String SOURCE =
      Path.of("src/test/targets/unwound.c").toAbsolutePath().toString();

  @ParameterizedTest
  @ValueSource(strings = {"read", "signal", "thread", "aligned", "library"})
  void agreesOnEachWay(String way) throws IOException {
    agrees(compiled("gcc", "unwound", "-O2"), "600", way);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-O0",
        "-O1",
        "-O3 -mavx2",
        "-Os",
        "-O2 -static",
        "-O2 -no-pie -fno-pic",
        "-O2 -s",
        "-O2 -fcf-protection -Wl,-z,ibtplt,-z,lazy",
        "-O2 -fuse-ld=gold",
        "-O2 -Wl,--no-eh-frame-hdr",
        "-g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables",
        "-g -gz -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables",
        "-gdwarf-5 -gdwarf64 -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables"
      })
  void agreesHoweverItIsBuilt(String options) throws IOException {
    Path program = compiled("gcc", "unwound-built", options.split(" "));
    for (String way : List.of("signal", "aligned", "library")) {
      agrees(program, "40", way);
    }
  }

  @Test
  void agreesOnClang() throws IOException {
    Path program = compiled("clang-19", "unwound-clang", "-O3", "-mavx2");
    for (String way : List.of("signal", "aligned", "library", "thread")) {
      agrees(program, "40", way);
    }
  }

  /** The program says where its call-frame information is even without section headers. */
  @Test
  void unwindsWithoutSectionHeaders() throws IOException {
    Path program = compiled("gcc", "unwound-sections", "-O2");
    Path bare = Fixtures.file("unwound-bare");
    Fixtures.run("llvm-objcopy-19", "--strip-sections", program.toString(), bare.toString());
    try (Child child = Child.start(program.toString(), "50", "signal")) {
      assertThat(child.line()).isEqualTo("ready");
      compare(child.pid(), Map.of(program, bare), 50);
    }
  }

  @Test
  void agreesOnCxx() throws IOException {
    Path source = Fixtures.file("unwound.cc");
    Files.writeString(
        source,
        """
        #include <cstdio>
        #include <stdexcept>
        #include <string>
        #include <unistd.h>
        #include <vector>
        struct Guard { std::string s; ~Guard() noexcept(false) {
          if (s == "0") { puts("ready"); fflush(stdout); char c; s += read(0, &c, 1); } } };
        [[gnu::noinline]] std::string down(int n, std::vector<std::string> &all) {
          Guard guard{std::to_string(n)};
          if (n == 0) throw std::runtime_error("bottom");
          std::string s = down(n - 1, all);
          all.push_back(s + guard.s);
          return s;
        }
        int main() {
          std::vector<std::string> all;
          try { down(100, all); } catch (std::exception &e) { all.push_back(e.what()); }
          return all.size() & 1;
        }
        """);
    Path program = Fixtures.file("unwound-cxx");
    Fixtures.run("g++", "-O2", source.toString(), "-o", program.toString());
    agrees(program);
  }

  @Test
  void agreesOnRust() throws IOException {
    Path source = Fixtures.file("unwound.rs");
    Files.writeString(
        source,
        """
        use std::io::{Read, Write};
        #[inline(never)]
        fn down(n: u32, text: &mut String) -> usize {
            text.push_str(&format!("{n} "));
            if n == 0 {
                println!("ready");
                std::io::stdout().flush().unwrap();
                let mut b = [0u8; 1];
                return std::io::stdin().lock().read(&mut b).unwrap_or(7);
            }
            let r = down(n - 1, text) + text.len();
            text.pop();
            r
        }
        fn main() {
            std::thread::spawn(|| std::process::exit(down(600, &mut String::new()) as i32))
                .join().unwrap();
        }
        """);
    Path program = Fixtures.file("unwound-rust");
    Fixtures.run("rustc", "-O", source.toString(), "-o", program.toString());
    agrees(program);
  }

  static List<List<String>> realPrograms() {
    return List.of(
        List.of("/usr/bin/bash", "-c", "f() { read x; }; echo ready; f; exit"),
        List.of(
            "/usr/bin/perl",
            "-e",
            "$| = 1; print qq(ready\\n); sub f { $_[0] ? f($_[0] - 1) : <STDIN> } my @a = sort { f(9) } 2, 1"),
        List.of(
            "/usr/bin/python3",
            "-c",
            "import os; os.write(1, b'ready\\n'); sorted([2, 1], key = lambda x: os.read(0, 1))"),
        List.of("/usr/bin/node", "-e", "console.log('ready'); process.stdin.resume()"));
  }

  @ParameterizedTest
  @MethodSource("realPrograms")
  void agreesOnRealPrograms(List<String> command) throws IOException {
    Assumptions.assumeTrue(Files.exists(Path.of(command.getFirst())), command.getFirst());
    try (Child child = Child.start(command.toArray(String[]::new))) {
      assertThat(child.line()).isEqualTo("ready");
      settle();
      compare(child.pid(), Map.of(), 4);
    }
  }

  private static Path compiled(String compiler, String name, String... options) {
    Path program = Fixtures.file(name);
    List<String> command = new ArrayList<>(List.of(compiler, "-fomit-frame-pointer", "-pthread"));
    command.addAll(List.of(options));
    command.addAll(List.of(SOURCE, "-o", program.toString()));
    Fixtures.run(command.toArray(String[]::new));
    return program;
  }

  private static void agrees(Path program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    try (Child child = Child.start(command.toArray(String[]::new))) {
      assertThat(child.line()).isEqualTo("ready");
      settle();
      compare(child.pid(), Map.of(), arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100);
    }
  }

  /** From its line of output to the call that blocks it is a matter of microseconds. */
  private static void settle() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void compare(int pid, Map<Path, Path> instead, int least) throws IOException {
    Map<Integer, List<String>> theirs = EuStack.of(pid);
    int deepest = 0;
    try (BlockedProcess process = new BlockedProcess(pid, instead)) {
      Map<Integer, BlockedProcess.Stack> ours = process.stacks();
      assertThat(ours.keySet()).isEqualTo(theirs.keySet());
      for (Integer thread : ours.keySet()) {
        BlockedProcess.Stack stack = ours.get(thread);
        assertThat(stack.processAddresses()).isEqualTo(theirs.get(thread));
        assertThat(stack.end()).isEqualTo(UnwindEnd.WHOLE);
        deepest = Math.max(deepest, stack.processAddresses().size());
      }
    }
    assertThat(deepest).isGreaterThan(least);
  }
}
