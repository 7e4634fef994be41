package dev.plumb.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.launcher.EngineFilter.includeEngines;
import static org.junit.platform.launcher.TagFilter.includeTags;

import dev.plumb.bpf.TestObjects;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Takes the tests that are marked by {@link OnEveryKernel} to machines that have a Java runtime and
 * little else.
 *
 * <p>{@code prepare FOLDER} puts there what they need: {@code lib} with all of their class path but
 * Plumb's jar, {@code target} with what is compiled, {@code classes} with their names. {@code run
 * [CLASS…]}, in that folder, runs them, or some.
 */
public final class KernelTests {
  private static final Path NAMES = Path.of("classes");

  /** What tests are written with; what Plumb is written with is in its jar. */
  private static final Pattern TOOLS =
      Pattern.compile(
          "junit-(platform|jupiter)|assertj|byte-buddy|opentest4j|apiguardian|jspecify");

  private KernelTests() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "prepare" -> prepare(Path.of(args[1]));
      case "run" -> run(List.of(args).subList(1, args.length));
      default -> throw new IllegalArgumentException("prepare FOLDER or run …, not " + args[0]);
    }
  }

  private static void prepare(Path folder) throws Exception {
    Path lib = Files.createDirectories(folder.resolve("lib"));
    Path own =
        Path.of(KernelTests.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(entry);
      if (path.equals(own)) {
        jar(lib.resolve("tests.jar"), path);
      } else if (TOOLS.matcher(path.getFileName().toString()).find()) {
        Files.copy(path, lib.resolve(path.getFileName()));
      }
    }
    copy(TestObjects.all(), folder.resolve(TestObjects.TARGET));
    copy(
        List.of(
            Programs.compiled("spinner"),
            Programs.compiled("waiter"),
            Programs.compiled("probes"),
            Programs.compiled("locker"),
            Programs.compiled("forker"),
            Programs.compiled("faulter"),
            Programs.compiled("pipeopener"),
            Programs.compiled("directio"),
            Programs.compiled("halfread"),
            Programs.compiled("cached"),
            Programs.compiled("uring"),
            Programs.compiled("numanodes"),
            Programs.withoutFramePointers("chains-static", "-static")),
        folder.resolve(Programs.BINARIES));
    Files.write(folder.resolve(NAMES), classes());
  }

  private static void copy(List<Path> files, Path folder) throws IOException {
    Files.createDirectories(folder);
    for (Path file : files) {
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  private static Set<String> classes() {
    Set<String> names = new TreeSet<>();
    TestPlan plan = LauncherFactory.create().discover(request(List.of(selectPackage("dev.plumb"))));
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        if (test.getSource().orElse(null) instanceof ClassSource source) {
          names.add(source.getClassName());
        }
      }
    }
    return names;
  }

  private static void jar(Path jar, Path classes) {
    int code =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--file",
                jar.toString(),
                "-C",
                classes.toString(),
                ".");
    if (code != 0) {
      throw new IllegalStateException("jar " + jar + " ended with " + code);
    }
  }

  private static void run(List<String> only) throws IOException {
    List<String> names =
        Files.readAllLines(NAMES).stream()
            .filter(name -> only.isEmpty() || only.contains(name.replaceFirst(".*\\.", "")))
            .toList();
    KernelTestReport first = new KernelTestReport(System.out, false);
    run(names, first);
    if (!first.failedClasses().isEmpty()) {
      // Many measure, on a CPU that is emulated and often late: what fails once may have been that.
      run(first.failedClasses(), new KernelTestReport(System.out, true));
    }
  }

  private static void run(Collection<String> names, KernelTestReport report) {
    List<DiscoverySelector> classes =
        names.stream().<DiscoverySelector>map(name -> selectClass(name)).toList();
    LauncherFactory.create().execute(request(classes), report);
  }

  private static LauncherDiscoveryRequest request(List<? extends DiscoverySelector> selectors) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectors)
        .filters(includeTags(OnEveryKernel.TAG), includeEngines("junit-jupiter"))
        .build();
  }
}
