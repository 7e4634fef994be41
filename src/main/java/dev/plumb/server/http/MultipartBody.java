package dev.plumb.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of a {@code multipart/form-data} body (RFC 7578), by their names. */
public final class MultipartBody {
  private static final Pattern BOUNDARY =
      Pattern.compile(
          "boundary=(?:\"([^\"]{1,200})\"|([^;\\s\"]{1,200}))", Pattern.CASE_INSENSITIVE);
  private static final Pattern NAME =
      Pattern.compile("[;\\s]name=(?:\"([^\"]*)\"|([^;\\s]*))", Pattern.CASE_INSENSITIVE);
  private static final int MAX_PARTS = 32;

  private MultipartBody() {}

  public static Map<String, byte[]> parse(byte[] body, String contentType) {
    Matcher boundary = BOUNDARY.matcher(contentType);
    if (!boundary.find()) {
      throw Refusal.invalid("the Content-Type of the multipart body names no boundary");
    }
    String text = boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
    byte[] line = ("--" + text).getBytes(StandardCharsets.ISO_8859_1);
    Map<String, byte[]> parts = new HashMap<>();
    int at = find(body, line, 0);
    while (at >= 0) {
      int from = at + line.length;
      boolean last = from + 1 < body.length && body[from] == '-' && body[from + 1] == '-';
      int next = last ? -1 : find(body, line, from);
      if (next >= 0) {
        part(body, from, next, parts);
      }
      if (parts.size() > MAX_PARTS) {
        throw Refusal.invalid("more than %d parts", MAX_PARTS);
      }
      at = next;
    }
    if (parts.isEmpty()) {
      throw Refusal.invalid("the multipart body has no parts; is it complete?");
    }
    return parts;
  }

  /** A part: CRLF, headers, an empty line, the content, CRLF. */
  private static void part(byte[] body, int from, int to, Map<String, byte[]> parts) {
    int headersEnd = find(body, new byte[] {'\r', '\n', '\r', '\n'}, from);
    if (headersEnd < 0 || headersEnd > to) {
      return;
    }
    String headers = new String(body, from, headersEnd - from, StandardCharsets.UTF_8);
    Matcher name = NAME.matcher(headers);
    if (!name.find()) {
      return;
    }
    int end = to - 2 > headersEnd + 3 && body[to - 2] == '\r' ? to - 2 : to;
    int start = Math.min(headersEnd + 4, end);
    String key = name.group(1) == null ? name.group(2) : name.group(1);
    BodyMemoryBudget.take(end - start);
    parts.put(key, Arrays.copyOfRange(body, start, end));
  }

  private static int find(byte[] body, byte[] wanted, int from) {
    for (int at = Math.max(0, from); at <= body.length - wanted.length; at++) {
      int i = 0;
      while (i < wanted.length && body[at + i] == wanted[i]) {
        i++;
      }
      if (i == wanted.length) {
        return at;
      }
    }
    return -1;
  }
}
