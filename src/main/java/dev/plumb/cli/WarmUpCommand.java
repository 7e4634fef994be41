package dev.plumb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Goes the way of a short recording, so that the JVM's cache knows the classes it takes. */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("plumb");
    Path html = folder.resolve("x.html");
    try {
      return Plumb.run("record", "-d", "0.3", "-F", "499", "--self", "-o", html.toString());
    } finally {
      Files.deleteIfExists(html);
      Files.delete(folder);
    }
  }
}
