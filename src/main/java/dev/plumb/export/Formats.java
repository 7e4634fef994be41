package dev.plumb.export;

import dev.plumb.export.file.OutputFile;
import dev.plumb.export.file.Reading;
import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.flame.HtmlWriter;
import dev.plumb.export.flame.SpeedscopeWriter;
import dev.plumb.export.flame.SvgWriter;
import dev.plumb.export.otlp.OtlpWriter;
import dev.plumb.export.plumb.PlumbFormat;
import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.export.plumb.PlumbWriter;
import dev.plumb.export.pprof.Pprof;
import dev.plumb.export.pprof.PprofReader;
import dev.plumb.export.pprof.PprofWriter;
import dev.plumb.export.text.FoldedReader;
import dev.plumb.export.text.FoldedWriter;
import dev.plumb.export.text.PerfScriptReader;
import dev.plumb.export.text.PerfScriptWriter;
import dev.plumb.export.text.StackAnalyzerWriter;
import dev.plumb.export.wire.Bytes;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** All formats. For writing, the file extension selects one; for reading, the content does. */
public final class Formats {
  private static final int HEAD = 64 * 1024;

  /**
   * The share of the free memory that reading may take; whoever uses the result needs some, too.
   */
  private static final int READ_SHARE = 2;

  private static final Format PLUMB =
      of("plumb", ".plumb", "everything, with times", true, new PlumbWriter(), new PlumbReader());
  private static final Format PPROF =
      of("pprof", ".pb.gz", "pprof", false, new PprofWriter(), new PprofReader());
  private static final Format FOLDED =
      of("folded", ".folded", "folded stacks", false, new FoldedWriter(), new FoldedReader());
  private static final Format PERF_SCRIPT =
      of(
          "perf-script",
          ".perf",
          "text as perf script prints it",
          false,
          new PerfScriptWriter(),
          new PerfScriptReader());
  private static final List<Format> ALL =
      List.of(
          PLUMB,
          PPROF,
          FOLDED,
          PERF_SCRIPT,
          of("html", ".html", "a page with flame graph and table", true, new HtmlWriter()),
          of("svg", ".svg", "a still flame graph", false, new SvgWriter()),
          of(
              "speedscope",
              ".speedscope.json",
              "speedscope's JSON, a profile a thread",
              true,
              new SpeedscopeWriter()),
          of("otlp", ".otlp", "OpenTelemetry's profiles", true, new OtlpWriter()),
          of("txt", ".txt", "Stack_Analyzer's text block", true, new StackAnalyzerWriter()));

  private Formats() {}

  private static Format of(
      String name, String ending, String about, boolean allModes, RecordingWriter writer) {
    return new Format(name, ending, about, allModes, Optional.of(writer), Optional.empty());
  }

  private static Format of(
      String name,
      String ending,
      String about,
      boolean allModes,
      RecordingWriter writer,
      RecordingReader reader) {
    return new Format(name, ending, about, allModes, Optional.of(writer), Optional.of(reader));
  }

  public static List<Format> all() {
    return ALL;
  }

  /** The format for writing a file of this name. */
  public static Format byEnding(String fileName) {
    return ALL.stream()
        .filter(format -> fileName.endsWith(format.ending()))
        .findFirst()
        .orElseThrow(
            () ->
                new FormatException(
                    "cannot tell the format of '%s' by its ending; use one of %s"
                        .formatted(fileName, join(ALL.stream().map(Format::ending).toList()))));
  }

  public static Format byName(String name) {
    return ALL.stream()
        .filter(format -> format.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new FormatException(
                    "no format '%s'; there are %s"
                        .formatted(name, join(ALL.stream().map(Format::name).toList()))));
  }

  private static String join(List<String> words) {
    return words.stream().collect(Collectors.joining(" "));
  }

  /**
   * Writes a recording to a file, in the format of its ending. Where the format holds one mode and
   * the recording several, each goes to a file of its own: {@code out.folded} becomes {@code
   * out.cpu.folded} and {@code out.offcpu.folded}.
   *
   * @return what was written
   */
  public static List<Path> save(Recording recording, Path target, WriteOptions options) {
    return save(recording, target, byEnding(target.getFileName().toString()), options);
  }

  /** The same in a given format, whatever the file extension. */
  public static List<Path> save(
      Recording recording, Path target, Format format, WriteOptions options) {
    if (format.allModes() || !options.mode().isEmpty() || recording.profiles().size() == 1) {
      OutputFile.write(target, out -> write(recording, out, format, options));
      return List.of(target);
    }
    String name = target.getFileName().toString();
    int dot =
        name.endsWith(format.ending()) ? name.length() - format.ending().length() : name.length();
    List<Path> written = new ArrayList<>();
    for (Profile profile : recording.profiles()) {
      String mode = profile.mode().replaceAll("[^\\w-]", "_");
      Path file = target.resolveSibling(name.substring(0, dot) + "." + mode + name.substring(dot));
      OutputFile.write(
          file, out -> write(recording, out, format, options.withMode(profile.mode())));
      written.add(file);
    }
    return written;
  }

  public static void write(
      Recording recording, OutputStream out, Format format, WriteOptions options)
      throws IOException {
    if (!format.allModes() && options.mode().isEmpty() && recording.profiles().size() > 1) {
      throw new FormatException(
          "%s holds one mode; choose it with --mode %s"
              .formatted(
                  format.ending(),
                  recording.profiles().stream()
                      .map(Profile::mode)
                      .collect(Collectors.joining("|"))));
    }
    format
        .writer()
        .orElseThrow(() -> new FormatException("Plumb reads %s only".formatted(format.name())))
        .write(recording, out, options);
  }

  /** Reads a file of any readable format. */
  public static Reading read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FormatException(file + " is a folder: name a file in it");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] magic = in.readNBytes(PlumbFormat.MAGIC.length);
      if (Arrays.equals(magic, PlumbFormat.MAGIC) && Files.isRegularFile(file)) {
        return PlumbReader.read(file, freeMemory() / READ_SHARE);
      }
      return read(new SequenceInputStream(new ByteArrayInputStream(magic), in));
    } catch (NoSuchFileException e) {
      throw new FormatException("no file " + file, e);
    } catch (FormatException e) {
      throw new FormatException(file + ": " + e.getMessage(), e);
    }
  }

  /** How much more this JVM's heap can take. */
  private static long freeMemory() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - (runtime.totalMemory() - runtime.freeMemory());
  }

  /** Reads any readable format. */
  public static Reading read(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in, HEAD);
    byte[] head = buffered.readNBytes(HEAD);
    if (head.length == 0) {
      throw new FormatException("the file is empty");
    }
    InputStream whole = new SequenceInputStream(new ByteArrayInputStream(head), buffered);
    if (!Bytes.isGzip(head)) {
      return reader(head).read(whole);
    }
    byte[] inner = Bytes.gunzip(whole);
    if (inner.length == 0) {
      throw new FormatException("the file is empty");
    }
    RecordingReader reader;
    try {
      reader = reader(Arrays.copyOf(inner, Math.min(inner.length, HEAD)));
    } catch (FormatException e) {
      throw new FormatException("unpacked with gunzip, " + e.getMessage(), e);
    }
    return reader.read(new ByteArrayInputStream(inner));
  }

  private static RecordingReader reader(byte[] head) {
    return sniff(head).reader().orElseThrow();
  }

  /** The format by a file's first bytes; other kinds of files are refused by name. */
  static Format sniff(byte[] head) {
    if (Arrays.mismatch(head, PlumbFormat.MAGIC) >= PlumbFormat.MAGIC.length
        || Arrays.equals(head, PlumbFormat.MAGIC)) {
      return PLUMB;
    }
    refuse(ForeignFormats.binary(head));
    if (!isText(head)) {
      if (!Pprof.isPossible(head[0])) {
        throw new FormatException(
            "not a file that Plumb reads: neither text nor pprof; its first bytes are "
                + HexFormat.ofDelimiter(" ").formatHex(head, 0, Math.min(head.length, 8)));
      }
      return PPROF;
    }
    refuse(ForeignFormats.text(head));
    boolean perf = PerfScriptReader.isMostOf(new String(head, StandardCharsets.UTF_8));
    return perf ? PERF_SCRIPT : FOLDED;
  }

  private static void refuse(Optional<String> foreign) {
    foreign.ifPresent(
        message -> {
          throw new FormatException(message);
        });
  }

  /** Text has no control characters; pprof has one among its first bytes. */
  private static boolean isText(byte[] head) {
    for (int i = 0; i < Math.min(head.length, 512); i++) {
      boolean space = head[i] == '\n' || head[i] == '\r' || head[i] == '\t';
      if (head[i] >= 0 && head[i] < 0x20 && !space) {
        return false;
      }
    }
    return true;
  }
}
