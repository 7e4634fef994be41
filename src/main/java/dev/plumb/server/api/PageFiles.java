package dev.plumb.server.api;

import dev.plumb.server.http.GzipResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.Deflater;

/**
 * The page's files in memory, plain and gzipped. Only the files that are listed here can be
 * requested.
 */
final class PageFiles {
  private static final String LIBRARIES = "/META-INF/resources/webjars/preact/10.28.0/";

  static final List<String> SCRIPTS =
      List.of(
          "flame/numbers.js",
          "flame/data.js",
          "flame/tree.js",
          "flame/totals.js",
          "flame/search.js",
          "flame/colour.js",
          "flame/measure.js",
          "flame/painter.js",
          "flame/graph.js",
          "flame/table.js",
          "flame/panels.js",
          "flame/lines.js",
          "app/address.js",
          "app/ask.js",
          "app/brush.js",
          "app/chart.js",
          "app/compare.js",
          "app/filter.js",
          "app/frames.js",
          "app/heat.js",
          "app/inspect.js",
          "app/keys.js",
          "app/lanecanvas.js",
          "app/lanepainter.js",
          "app/laneitems.js",
          "app/lanes.js",
          "app/main.js",
          "app/menu.js",
          "app/model.js",
          "app/overview.js",
          "app/panels.js",
          "app/parts.js",
          "app/picture.js",
          "app/processes.js",
          "app/sandwich.js",
          "app/selector.js",
          "app/shape.js",
          "app/sheet.js",
          "app/source.js",
          "app/stage.js",
          "app/theme.js",
          "app/time.js",
          "app/top.js",
          "app/units.js");

  private static final List<String> STYLES =
      List.of("flame/page.css", "flame/parts.css", "app/views.css", "app/app.css");

  /**
   * @param tag the ETag, a hash of the content
   */
  record PageFile(String type, byte[] plain, byte[] packed, String tag) {
    static PageFile of(String type, byte[] plain) {
      return new PageFile(
          type,
          plain,
          GzipResponse.pack(plain, Deflater.BEST_COMPRESSION),
          '"' + hash(plain) + '"');
    }
  }

  private final Map<String, PageFile> files = new HashMap<>();
  private final String folder;
  private final PageFile page;

  PageFiles() {
    for (String name : SCRIPTS) {
      script(name, resource("/web/" + name));
    }
    for (String name : STYLES) {
      files.put(name, PageFile.of("text/css; charset=utf-8", utf8(resource("/web/" + name))));
    }
    script("lib/preact.js", withoutMap(resource(LIBRARIES + "dist/preact.module.js")));
    script(
        "lib/hooks.js",
        withoutMap(resource(LIBRARIES + "hooks/dist/hooks.module.js"))
            // Browsers resolve bare names only by an import map, which the policy forbids.
            .replaceAll("from\\s*\"preact\"", "from\"./preact.js\""));
    files.put("icon.svg", PageFile.of("image/svg+xml", utf8(resource("/web/app/icon.svg"))));
    StringBuilder all = new StringBuilder();
    files.keySet().stream().sorted().forEach(name -> all.append(name).append(files.get(name).tag));
    folder = "static/" + hash(utf8(all.toString())) + "/";
    page = PageFile.of("text/html; charset=utf-8", utf8(index()));
  }

  private void script(String name, String text) {
    files.put(name, PageFile.of("text/javascript; charset=utf-8", utf8(text)));
  }

  private static String withoutMap(String script) {
    return script.replaceAll("\n?//# sourceMappingURL=\\S*\\s*$", "\n");
  }

  private String index() {
    StringBuilder links = new StringBuilder();
    for (String style : STYLES) {
      links.append("<link rel=\"stylesheet\" href=\"%s%s\">\n".formatted(folder, style));
    }
    files.keySet().stream()
        .filter(name -> name.endsWith(".js"))
        .sorted()
        .forEach(
            name ->
                links.append(
                    "<link rel=\"modulepreload\" href=\"%s%s\">\n".formatted(folder, name)));
    return resource("/web/app/index.html")
        .replace("{{links}}", links)
        .replace("{{folder}}", folder);
  }

  PageFile page() {
    return page;
  }

  /** The file at a path {@code /static/hash/name}. */
  Optional<PageFile> find(String path) {
    String wanted = path.startsWith("/") ? path.substring(1) : path;
    return wanted.startsWith(folder)
        ? Optional.ofNullable(files.get(wanted.substring(folder.length())))
        : Optional.empty();
  }

  /** How many bytes a browser without a cache loads. */
  int packedBytes() {
    return page.packed.length + files.values().stream().mapToInt(file -> file.packed.length).sum();
  }

  private static String hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String resource(String name) {
    try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
