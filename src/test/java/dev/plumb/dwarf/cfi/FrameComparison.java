package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds all rows of files against {@code readelf --debug-dump=frames-interp}. As a program:
 * compares the files given, prints differences and counts.
 */
public final class FrameComparison {
  private long files;
  private long functions;
  private long rows;
  private final List<String> differences = new ArrayList<>();

  public static void main(String[] arguments) throws IOException {
    FrameComparison comparison = new FrameComparison();
    for (String argument : arguments) {
      Path path = Path.of(argument);
      if (isX86(path)) {
        int before = comparison.differences.size();
        comparison.compare(path);
        comparison.differences.stream().skip(before).limit(3).forEach(System.out::println);
      }
    }
    System.out.println(comparison);
    System.exit(comparison.differences.isEmpty() ? 0 : 1);
  }

  private static boolean isX86(Path path) {
    if (!Files.isRegularFile(path) || Files.isSymbolicLink(path)) {
      return false;
    }
    try (ElfFile elf = ElfFile.open(path)) {
      return elf.machine() == ElfFile.EM_X86_64
          && elf.is64()
          && (elf.type() == ElfFile.ET_DYN || elf.type() == ElfFile.ET_EXEC);
    } catch (ElfException e) {
      return false;
    }
  }

  /** Notes where readelf and we differ. */
  public void compare(Path path) throws IOException {
    Process process =
        new ProcessBuilder("readelf", "--debug-dump=frames-interp,no-follow-links", path.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (ElfFile elf = ElfFile.open(path);
        BufferedReader output = process.inputReader(StandardCharsets.ISO_8859_1)) {
      ReadelfFrames theirs = new ReadelfFrames(output);
      Ours ours = new Ours(theirs, path);
      FrameCounts counts = CallFrames.forEach(elf, ours);
      if (counts.badEntries() != 0 || counts.cut()) {
        differences.add(path + ": " + counts);
      }
      FrameText left = theirs.next();
      if (left != null) {
        differences.add(path + ": only readelf has " + left);
      }
    } finally {
      process.destroy();
    }
    files++;
  }

  public long rows() {
    return rows;
  }

  public List<String> differences() {
    return differences;
  }

  @Override
  public String toString() {
    return "%d files, %d functions, %d rows compared, %d differences"
        .formatted(files, functions, rows, differences.size());
  }

  /** Makes text of each function and holds it against readelf's. */
  private final class Ours implements FrameVisitor {
    private final ReadelfFrames theirs;
    private final Path path;
    private FrameText text = new FrameText(0, 0);

    Ours(ReadelfFrames theirs, Path path) {
      this.theirs = theirs;
      this.path = path;
    }

    @Override
    public boolean function(long elfStart, long elfEnd) {
      text = new FrameText(elfStart, elfEnd);
      return true;
    }

    @Override
    public void row(FrameRow row) {
      text.add(row);
    }

    @Override
    public void end(boolean whole) {
      try {
        FrameText other = theirs.next();
        functions++;
        rows += text.rows();
        if (!whole || other == null || !other.toString().equals(text.toString())) {
          differences.add(
              "%s: ours, whole %s:\n%sreadelf's:\n%s".formatted(path, whole, text, other));
        }
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
