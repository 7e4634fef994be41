package dev.plumb.symbols.debugfile;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which debuginfod servers to use and how, from the environment variables that all clients use
 * (debuginfod-client-config(7)).
 *
 * @param urls servers, in the order of the requests
 * @param cache where files are kept, in the layout that all clients share
 * @param timeout how long one file may take in total
 * @param maxBytes the largest file accepted
 */
public record DebuginfodSettings(List<String> urls, Path cache, Duration timeout, long maxBytes) {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final long MAX_SECONDS = 3600;
  private static final long DEFAULT_BYTES = 2L << 30;
  private static final int MAX_URLS = 16;

  public DebuginfodSettings {
    urls = List.copyOf(urls);
  }

  /** The settings from the environment; without servers if it names none. */
  public static DebuginfodSettings of(Map<String, String> environment) {
    List<String> urls = new ArrayList<>();
    for (String url : environment.getOrDefault("DEBUGINFOD_URLS", "").trim().split("\\s+")) {
      // Other words in it, such as ima:enforcing, are for other clients.
      if (isUrl(url) && urls.size() < MAX_URLS) {
        urls.add(url);
      }
    }
    long seconds = number(environment, "DEBUGINFOD_TIMEOUT", MAX_SECONDS);
    long bytes = number(environment, "DEBUGINFOD_MAXSIZE", Long.MAX_VALUE);
    return new DebuginfodSettings(
        urls,
        cache(environment),
        seconds == 0 ? DEFAULT_TIMEOUT : Duration.ofSeconds(seconds),
        bytes == 0 ? DEFAULT_BYTES : bytes);
  }

  /** The same with another server, which comes first. */
  public DebuginfodSettings with(String url) {
    List<String> all = new ArrayList<>(List.of(url));
    urls.stream().filter(u -> !u.equals(url)).forEach(all::add);
    return new DebuginfodSettings(all, cache, timeout, maxBytes);
  }

  /** Whether a text is the URL of a server. */
  public static boolean isUrl(String text) {
    return text.startsWith("http://") || text.startsWith("https://");
  }

  private static Path cache(Map<String, String> environment) {
    String own = environment.getOrDefault("DEBUGINFOD_CACHE_PATH", "");
    if (!own.isEmpty()) {
      return Path.of(own);
    }
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path folder =
        caches.startsWith("/")
            ? Path.of(caches)
            : Path.of(environment.getOrDefault("HOME", "/root"), ".cache");
    return folder.resolve("debuginfod_client");
  }

  /** 0 if there is none. */
  private static long number(Map<String, String> environment, String name, long most) {
    try {
      return Math.clamp(Long.parseLong(environment.getOrDefault(name, "0").trim()), 0, most);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
