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
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Takes the tests that are marked by {@link OnEveryKernel} to machines that have a Java runtime and
 * little else.
 *
 * <p>{@code prepare FOLDER} puts there what they need: {@code lib} with the class path as jars,
 * {@code target/test-bpf} with the compiled objects, {@code classes} with their names. {@code run},
 * in that folder, runs them.
 */
public final class KernelTests {
  private static final Path NAMES = Path.of("classes");

  /** What no test on another kernel uses. */
  private static final Pattern NOT_NEEDED = Pattern.compile("archunit|slf4j");

  private KernelTests() {}

  public static void main(String[] args) throws IOException {
    switch (args[0]) {
      case "prepare" -> prepare(Path.of(args[1]));
      case "run" -> run();
      default -> throw new IllegalArgumentException("prepare FOLDER or run, not " + args[0]);
    }
  }

  private static void prepare(Path folder) throws IOException {
    Path lib = Files.createDirectories(folder.resolve("lib"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(entry);
      Path name = path.getFileName();
      if (Files.isDirectory(path)) {
        jar(lib.resolve(name + ".jar"), path);
      } else if (!NOT_NEEDED.matcher(entry).find()) {
        Files.copy(path, lib.resolve(name));
      }
    }
    Path objects = Files.createDirectories(folder.resolve(TestObjects.TARGET));
    for (Path object : TestObjects.all()) {
      Files.copy(object, objects.resolve(object.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
    }
    TreeSet<String> names = new TreeSet<>();
    Launcher launcher = LauncherFactory.create();
    TestPlan plan = launcher.discover(request(List.of(selectPackage("dev.plumb"))));
    plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .map(TestIdentifier::getSource)
        .flatMap(source -> source.stream())
        .filter(ClassSource.class::isInstance)
        .forEach(source -> names.add(((ClassSource) source).getClassName()));
    Files.write(folder.resolve(NAMES), names);
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

  private static void run() throws IOException {
    List<DiscoverySelector> classes =
        Files.readAllLines(NAMES).stream()
            .<DiscoverySelector>map(name -> selectClass(name))
            .toList();
    LauncherFactory.create().execute(request(classes), new KernelTestReport(System.out));
  }

  private static LauncherDiscoveryRequest request(List<? extends DiscoverySelector> selectors) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectors)
        .filters(includeTags(OnEveryKernel.TAG), includeEngines("junit-jupiter"))
        .build();
  }
}
