package dev.plumb.symbols.debugfile;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Fetches debug files from debuginfod servers, by build id, and keeps them on disk, where other
 * clients find them too. Requests take time, so they are made only when nobody but the user waits
 * for them. Each file has a time limit, all files together have one, and a server that did not
 * respond in time gets no more requests. Not thread-safe.
 */
public final class Debuginfod {
  /** The time limit for all files of a run, as a multiple of that for one file. */
  private static final int TOTAL_TIMES = 6;

  /** After so many error responses a server gets no more requests. */
  private static final int MAX_ERRORS = 3;

  private static final int MAX_PROBLEMS = 100;

  private final DebuginfodSettings settings;
  private final DebuginfodCache cache;
  private final Set<String> silent = new HashSet<>();
  private final Map<String, Integer> errors = new HashMap<>();
  private final Set<String> failed = new HashSet<>();
  private final List<String> problems = new ArrayList<>();
  private Duration rest;
  private boolean cleaned;
  private int fetched;
  private int cached;
  private int missing;

  public Debuginfod(DebuginfodSettings settings) {
    this.settings = settings;
    this.cache = new DebuginfodCache(settings.cache());
    this.rest = settings.timeout().multipliedBy(TOTAL_TIMES);
  }

  /** The debug file of the program or library with that build id. */
  public Optional<DebugFile> find(String buildId) {
    if (!buildId.matches("[0-9a-f]{4,128}") || failed.contains(buildId)) {
      return Optional.empty();
    }
    Optional<DebugFile> known = cache.find(buildId).flatMap(file -> checked(file, buildId));
    if (known.isPresent()) {
      cached++;
      return known;
    }
    Optional<DebugFile> found = Optional.empty();
    if (cache.isKnownMissing(buildId)) {
      missing++;
    } else {
      found = fetch(buildId);
    }
    if (found.isEmpty()) {
      failed.add(buildId);
    }
    return found;
  }

  private Optional<DebugFile> fetch(String buildId) {
    int without = 0;
    try {
      for (String url : settings.urls()) {
        if (!isUsable(url)) {
          continue;
        }
        Download.Outcome outcome = fetch(url, buildId);
        if (outcome == Download.Outcome.COMPLETE) {
          fetched++;
          return cache.find(buildId).flatMap(file -> checked(file, buildId));
        }
        without += outcome == Download.Outcome.NOT_THERE ? 1 : 0;
      }
      if (without > 0 && without == settings.urls().size()) {
        missing++;
        cache.keepMissing(buildId);
      }
    } catch (IOException e) {
      note(settings.cache() + ": " + e.getMessage());
      rest = Duration.ZERO; // nothing could be kept
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      rest = Duration.ZERO;
    }
    return Optional.empty();
  }

  private boolean isUsable(String url) {
    return !silent.contains(url) && errors.getOrDefault(url, 0) < MAX_ERRORS && rest.isPositive();
  }

  /** Downloads one file; if complete, it is in the cache. */
  private Download.Outcome fetch(String url, String buildId)
      throws IOException, InterruptedException {
    if (!cleaned) {
      cleaned = true;
      cache.clean();
    }
    Path part = cache.begin(buildId);
    try {
      Duration limit = settings.timeout().compareTo(rest) < 0 ? settings.timeout() : rest;
      long start = System.nanoTime();
      String from = url.replaceAll("/+$", "") + "/buildid/" + buildId + "/debuginfo";
      Download.Result result = Download.fetch(from, part, settings.maxBytes(), limit);
      rest = rest.minusNanos(System.nanoTime() - start);
      if (result.outcome() == Download.Outcome.COMPLETE) {
        if (hasId(part, buildId)) {
          cache.keep(part, buildId);
          return result.outcome();
        }
        String what = "what it sends for " + buildId + " is another file, or damaged";
        result = new Download.Result(Download.Outcome.REFUSED, what);
      }
      judge(url, buildId, result);
      return result.outcome();
    } finally {
      cache.end(part);
    }
  }

  private void judge(String url, String buildId, Download.Result result) {
    switch (result.outcome()) {
      case COMPLETE, NOT_THERE -> {}
      case TOO_LARGE -> note(url + ": the debug file of " + buildId + " is " + result.message());
      case TOO_SLOW, UNREACHABLE -> {
        silent.add(url);
        note(url + ": " + result.message() + "; it is not queried again");
      }
      case REFUSED -> {
        errors.merge(url, 1, Integer::sum);
        note(url + ": " + result.message());
      }
    }
  }

  private Optional<DebugFile> checked(DebugFile file, String buildId) {
    if (hasId(file.readable(), buildId)) {
      return Optional.of(file);
    }
    note(file.path() + ": has another build id than its folder, or is damaged");
    file.close();
    return Optional.empty();
  }

  private static boolean hasId(Path file, String buildId) {
    try (ElfFile elf = ElfFile.open(file)) {
      return elf.buildId().orElse("").equals(buildId);
    } catch (ElfException e) {
      return false;
    }
  }

  private void note(String problem) {
    if (problems.size() < MAX_PROBLEMS && !problems.contains(problem)) {
      problems.add(problem);
    }
  }

  /** The first hundred problems. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** The result in one line, for users. */
  public String summary() {
    String counts =
        "%d files fetched, %d cached, %d on no server".formatted(fetched, cached, missing);
    return problems.isEmpty() ? counts : counts + "; " + problems.getFirst();
  }
}
