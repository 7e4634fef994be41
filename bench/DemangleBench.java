import dev.plumb.symbols.demangle.Demangler;
import dev.plumb.symbols.demangle.NameStyle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Compares names with what another tool made of them, and says how long a name takes. Run by {@code
 * bench/demangle}: {@code java -cp target/classes bench/DemangleBench.java MANGLED EXPECTED}.
 */
final class DemangleBench {
  /** c++filt repeats the last name it has read, not that of a class that is a substitution. */
  private static final Pattern CONSTRUCTOR = Pattern.compile("NS[0-9A-Z]*_[CD][0-5]");

  public static void main(String[] files) throws Exception {
    List<String> names = Files.readAllLines(Path.of(files[0]));
    List<String> expected = Files.readAllLines(Path.of(files[1]));
    int unknown = 0;
    int punctuation = 0;
    int constructors = 0;
    int wrong = 0;
    for (int i = 0; i < names.size(); i++) {
      String ours = Demangler.demangle(names.get(i));
      String theirs = expected.get(i);
      if (ours.equals(theirs)) {
        continue;
      }
      if (theirs.equals(names.get(i))) {
        unknown++;
      } else if (plain(ours).equals(plain(theirs))) {
        punctuation++;
      } else if (CONSTRUCTOR.matcher(names.get(i)).find()) {
        constructors++;
      } else if (wrong++ < 20) {
        System.out.println(names.get(i) + "\n  theirs " + theirs + "\n  ours   " + ours);
      }
    }
    System.out.printf(
        "%d names: %d wrong; it does not know %d, has odd commas and blanks in %d,"
            + " wrong constructors in %d%n",
        names.size(), wrong, unknown, punctuation, constructors);
    for (NameStyle style : List.of(NameStyle.FULL, NameStyle.SHORT)) {
      long best = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) {
        long start = System.nanoTime();
        long length = 0;
        for (String name : names) {
          length += style.apply(name).length();
        }
        best = length == 0 ? best : Math.min(best, System.nanoTime() - start);
      }
      System.out.printf("%-5s %5d ns a name%n", style, best / names.size());
    }
  }

  private static String plain(String name) {
    String result = name;
    while (result.contains("> >")) {
      result = result.replace("> >", ">>");
    }
    return result.replace(", , ", ", ").replace("<, ", "<").replace("(, ", "(");
  }
}
