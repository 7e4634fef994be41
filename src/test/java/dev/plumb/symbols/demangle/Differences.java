package dev.plumb.symbols.demangle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How our names differ from c++filt's, by class:
 *
 * <ul>
 *   <li>unknown to it: it gives up, we do not. c++filt 2.40 is older than constraints ({@code Tk},
 *       {@code Tn}, {@code Q}, friends of constrained templates), does not number temporaries of
 *       nested names, and takes a UTF-8 name for several words.
 *   <li>punctuation: behind an empty pack it forgets the blank between {@code > >}, and before one
 *       it writes a comma too many. We write both as everywhere else.
 *   <li>constructors: if a constructor's class is a substitution, it repeats the last name it has
 *       read instead of the class's.
 *   <li>wrong: anything else.
 * </ul>
 */
record Differences(
    int names,
    List<String> unknown,
    List<String> punctuation,
    List<String> constructors,
    List<String> wrong) {
  private static final Pattern CONSTRUCTOR = Pattern.compile("NS[0-9A-Z]*_[CD][0-5]");

  static Differences fromCppFilt(List<String> names) throws IOException {
    Differences found =
        new Differences(
            names.size(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    List<String> expected = Filter.through("c++filt", names);
    for (int i = 0; i < names.size(); i++) {
      String mangled = names.get(i);
      String ours = Demangler.demangle(mangled);
      String theirs = expected.get(i);
      if (ours.equals(theirs)) {
        continue;
      }
      String line = mangled + "\n  c++filt " + theirs + "\n  ours    " + ours;
      if (theirs.equals(mangled)) {
        found.unknown.add(line);
      } else if (plain(ours).equals(plain(theirs))) {
        found.punctuation.add(line);
      } else if (CONSTRUCTOR.matcher(mangled).find()) {
        found.constructors.add(line);
      } else {
        found.wrong.add(line);
      }
    }
    return found;
  }

  private static String plain(String name) {
    String result = name;
    while (result.contains("> >")) {
      result = result.replace("> >", ">>");
    }
    return result.replace(", , ", ", ").replace("<, ", "<").replace("(, ", "(");
  }
}
