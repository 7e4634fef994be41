package dev.plumb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Makes a short recording and reads stacks, so that the JVM's cache has the classes that this
 * takes.
 */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("plumb");
    Path html = folder.resolve("x.html");
    try {
      // The launcher, which waits for this process; if it may not be looked at, so be it.
      ProcessHandle.current().parent().ifPresent(p -> Plumb.run("stack", "" + p.pid()));
      return Plumb.run(
          "record", "-F", "499", "--self", "-o", html.toString(), "--", "sleep", "0.3");
    } finally {
      Files.deleteIfExists(html);
      Files.delete(folder);
    }
  }
}
