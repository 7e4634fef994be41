package dev.plumb.linux;

import java.util.List;

/** Starts the command it is given as Plumb does, in a process of its own, and ends as it ends. */
final class Spawner {
  private Spawner() {}

  public static void main(String[] command) throws InterruptedException {
    ChildProcess child = ChildProcess.start(List.of(command));
    while (child.exitCode().isEmpty()) {
      Thread.sleep(5);
    }
    System.exit(child.exitCode().getAsInt());
  }
}
