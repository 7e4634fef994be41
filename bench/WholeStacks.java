import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which stacks of a recording are whole: those that unwinding took for whole, if their outermost
 * function is one that a thread begins in.
 *
 * <p>{@code java -cp target/classes bench/WholeStacks.java FILE.plumb BEGINNINGS [STACKS]}: a
 * pattern of the names of such functions; how many of the other stacks to print. The first line is
 * for programs: samples, whole ones, those that are cut in generated code, then how many others
 * are missing for which reason.
 */
class WholeStacks {
  public static void main(String[] arguments) throws IOException {
    Pattern beginnings = Pattern.compile(arguments[1]);
    int most = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0;
    try (InputStream in = Files.newInputStream(Path.of(arguments[0]));
        Recording recording = new PlumbReader().read(in).recording()) {
      Profile profile = recording.main();
      int count = profile.countType().orElseThrow();
      long samples = 0;
      long whole = 0;
      long generated = 0;
      Map<String, Long> reasons = new TreeMap<>();
      Map<String, Long> stacks = new TreeMap<>();
      for (int row = 0; row < profile.rows(); row++) {
        long n = profile.value(row, count);
        String problem = problem(profile.stacks(), profile.stack(row), beginnings);
        samples += n;
        if (problem.isEmpty()) {
          whole += n;
        } else if (endsInGeneratedCode(profile.stacks(), profile.stack(row))) {
          generated += n;
        } else {
          reasons.merge(problem, n, Long::sum);
          stacks.merge(problem + ": " + text(profile.stacks(), profile.stack(row)), n, Long::sum);
        }
      }
      StringBuilder line = new StringBuilder(samples + "\t" + whole + "\t" + generated);
      reasons.entrySet().stream()
          .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
          .forEach(e -> line.append('\t').append(e.getKey()).append(' ').append(e.getValue()));
      System.out.println(line);
      stacks.entrySet().stream()
          .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
          .limit(most)
          .forEach(e -> System.out.println("    " + e.getValue() + " × " + e.getKey()));
    }
  }

  private static String problem(StackTable stacks, int stack, Pattern beginnings) {
    StackEnd end = stacks.end(stack);
    if (end != StackEnd.WHOLE) {
      return end.text();
    }
    int[] ids = stacks.frameIds(stack);
    Frame outermost = stacks.frames().get(ids[ids.length - 1]);
    boolean kernel = outermost.kind() == FrameKind.KERNEL;
    return kernel || beginnings.matcher(outermost.name()).matches()
        ? ""
        : "ends in " + outermost.name();
  }

  private static boolean endsInGeneratedCode(StackTable stacks, int stack) {
    int[] ids = stacks.frameIds(stack);
    return stacks.end(stack) == StackEnd.GENERATED
        || stacks.frames().get(ids[ids.length - 1]).name().startsWith("[unknown in //anon");
  }

  /** The outermost first; of long ones both ends. */
  private static String text(StackTable stacks, int stack) {
    StringBuilder text = new StringBuilder();
    int[] ids = stacks.frameIds(stack);
    for (int i = ids.length - 1; i >= 0; i--) {
      if (i > 12 && i < ids.length - 12) {
        continue;
      }
      text.append(text.isEmpty() ? "" : ";").append(stacks.frames().get(ids[i]).marked());
    }
    long leaf = stacks.frames().get(ids[0]).elfAddress();
    return text + " 0x" + Long.toHexString(leaf);
  }
}
