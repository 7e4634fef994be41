package dev.plumb.server;

import dev.plumb.testing.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own, with as little memory as {@code plumb serve} has. */
public final class ServerInOwnProcess implements AutoCloseable {
  private final Process process;
  private final Path log;
  private final int port;

  private ServerInOwnProcess(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.port = port;
  }

  public static ServerInOwnProcess start(Path folder, int heapMegabytes) throws IOException {
    Path log = folder.resolve("server.log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Jvm.java().toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx" + heapMegabytes + "m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ServerInOwnProcess.class.getName(),
                folder.toString()));
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the server did not start: " + Files.readString(log));
    }
    return new ServerInOwnProcess(process, log, Integer.parseInt(line));
  }

  /** Serves until its input ends. */
  public static void main(String[] args) throws IOException {
    try (TestServer server = TestServer.start(Path.of(args[0]))) {
      System.out.println(server.server.port());
      System.out.flush();
      System.in.read();
    }
  }

  public int port() {
    return port;
  }

  public String log() throws IOException {
    return Files.readString(log);
  }

  /** The most memory it ever had, in bytes. */
  public long peakBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("the server has ended: " + log());
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
