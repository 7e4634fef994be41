import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.demangle.NameStyle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of procedure linkage tables against objdump's, of every file given. objdump shows
 * {@code *ABS*+0x…} where we show the function that is resolved; those are counted apart. Run:
 * {@code java -cp target/classes bench/PltBench.java [-v] FILE…}.
 */
final class PltBench {
  private static final Pattern LABEL = Pattern.compile("^([0-9a-f]+) <(.+)@plt>:$");

  public static void main(String[] arguments) throws Exception {
    boolean verbose = arguments.length > 0 && arguments[0].equals("-v");
    int files = 0;
    int equal = 0;
    int resolvers = 0;
    int differ = 0;
    for (int i = verbose ? 1 : 0; i < arguments.length; i++) {
      Path path = Path.of(arguments[i]).toRealPath();
      Map<Long, String> labels = labels(path);
      files += labels.isEmpty() ? 0 : 1;
      Fd fd = SystemCalls.open(path.toString(), SystemCalls.O_RDONLY);
      try (BackingFile file = BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
          Symbolizer symbolizer = new Symbolizer(1 << 24, NameStyle.RAW);
          ElfFile elf = ElfFile.open(path)) {
        Mapping whole = new Mapping(0, Long.MAX_VALUE, 0, file);
        for (Map.Entry<Long, String> label : labels.entrySet()) {
          long offset = fileOffset(elf, label.getKey());
          Frame frame = symbolizer.user(whole, offset, false).getFirst();
          String theirs = label.getValue().replaceAll("@.*", "");
          if (frame.name().equals(theirs + "@plt")) {
            equal++;
          } else if (theirs.startsWith("*ABS*+") && frame.name().endsWith("@plt")) {
            resolvers++;
          } else {
            differ++;
            if (verbose) {
              System.out.println(path + " " + theirs + " ours " + frame.name());
            }
          }
        }
      } catch (ElfException e) {
        continue; // a script
      }
    }
    System.out.printf(
        "%d files, %d equal, %d resolvers, %d differ%n", files, equal, resolvers, differ);
  }

  private static long fileOffset(ElfFile elf, long elfAddress) {
    for (Segment s : elf.segments()) {
      long into = elfAddress - s.elfAddress();
      if (s.type() == Segment.PT_LOAD && into >= 0 && into < s.fileSize()) {
        return s.fileOffset() + into;
      }
    }
    return -1;
  }

  private static Map<Long, String> labels(Path path) throws Exception {
    Process objdump =
        new ProcessBuilder(
                "objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Map<Long, String> labels = new TreeMap<>();
    String text = new String(objdump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    for (String line : text.split("\n")) {
      Matcher label = LABEL.matcher(line);
      if (label.matches()) {
        labels.put(Long.parseLong(label.group(1), 16), label.group(2));
      }
    }
    objdump.waitFor();
    return labels;
  }
}
