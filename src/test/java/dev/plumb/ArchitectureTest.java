package dev.plumb;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.lang.foreign.Linker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The arrows between packages, as the design has them: down only. */
class ArchitectureTest {
  private static final String ROOT = "dev.plumb.";

  /** Each package and those it may use; what these may use, it may use too. */
  private static final Map<String, List<String>> ARROWS = new LinkedHashMap<>();

  static {
    ARROWS.put("linux", List.of());
    ARROWS.put("table", List.of());
    ARROWS.put("elf", List.of());
    ARROWS.put("dwarf", List.of("elf"));
    ARROWS.put("profile", List.of("table"));
    ARROWS.put("bpf", List.of("elf", "linux"));
    ARROWS.put("process", List.of("linux", "elf"));
    ARROWS.put("unwind", List.of("elf", "dwarf", "process", "table"));
    ARROWS.put("symbols", List.of("elf", "dwarf", "process", "profile"));
    ARROWS.put("collect", List.of("bpf", "unwind", "symbols", "profile"));
    ARROWS.put("export", List.of("profile"));
    ARROWS.put("store", List.of("profile"));
    ARROWS.put("spool", List.of("store", "export"));
    ARROWS.put("server", List.of("store", "export"));
    ARROWS.put("push", List.of("profile", "export"));
    ARROWS.put("cli", List.of("collect", "spool", "server", "push"));
  }

  /** Rooms of one family: what is public there is so only for its siblings. */
  private static final Map<String, String> FAMILY_ROOMS = new LinkedHashMap<>();

  static {
    for (String room : List.of("kernel", "raw", "tables", "naming", "mode", "wait", "memory")) {
      FAMILY_ROOMS.put("collect." + room, "collect");
    }
    for (String room : List.of("database", "dictionary", "segment", "write", "upkeep", "query")) {
      FAMILY_ROOMS.put("store." + room, "store");
    }
    FAMILY_ROOMS.put("dwarf.form", "dwarf");
    FAMILY_ROOMS.put("unwind.code", "unwind");
    FAMILY_ROOMS.put("symbols.demangle.itanium", "symbols.demangle");
    FAMILY_ROOMS.put("symbols.demangle.rust", "symbols.demangle");
    FAMILY_ROOMS.put("server.http", "server");
    for (String room : List.of("wire", "query", "otlp")) {
      FAMILY_ROOMS.put("server.pyroscope." + room, "server.pyroscope");
    }
  }

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.plumb");

  @Test
  void readsTheseClassFiles() {
    assertThat(CLASSES.size()).isGreaterThan(50);
    assertThat(CLASSES.get("dev.plumb.elf.ElfFile").getMethods()).isNotEmpty();
    assertThat(CLASSES.get("dev.plumb.process.BackingFile").getDirectDependenciesFromSelf())
        .anyMatch(d -> d.getTargetClass().getName().equals("dev.plumb.linux.Fd"));
  }

  @Test
  void knowsEveryPackage() {
    Set<String> found = new TreeSet<>();
    for (JavaClass c : CLASSES) {
      found.add(packageOf(c));
    }
    assertThat(ARROWS.keySet()).containsAll(found);
  }

  @Test
  void pointsDownOnly() {
    List<String> violations = new ArrayList<>();
    for (JavaClass c : CLASSES) {
      Set<String> allowed = below(packageOf(c));
      c.getDirectDependenciesFromSelf().stream()
          .filter(d -> d.getTargetClass().getPackageName().startsWith(ROOT))
          .filter(d -> !allowed.contains(packageOf(d.getTargetClass())))
          .forEach(d -> violations.add(d.getDescription()));
    }
    assertThat(violations).isEmpty();
  }

  /** By full names: between rooms of a family, too. */
  @Test
  void hasNoCycles() {
    SlicesRuleDefinition.slices()
        .matching("dev.plumb.(**)")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  @Test
  void roomsOfAFamilyAreUsedByItAlone() {
    FAMILY_ROOMS.forEach(
        (room, family) ->
            noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + family + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + room)
                .check(CLASSES));
  }

  @Test
  void linksNativeCodeInOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.plumb.linux..")
        .should()
        .dependOnClassesThat(
            describe(
                "are the Linker",
                c ->
                    c.isEquivalentTo(Linker.class)
                        || c.getName().startsWith(Linker.class.getName() + "$")))
        .check(CLASSES);
  }

  @Test
  void keepsTheLowestPackagesFreeOfLibraries() {
    classes()
        .that()
        .resideInAPackage("dev.plumb.table..")
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "dev.plumb.table.."))
        .check(CLASSES);
    classes()
        .that()
        .resideInAPackage("dev.plumb.profile..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "dev.plumb.profile..", "dev.plumb.table.."))
        .check(CLASSES);
    classes()
        .that()
        .resideInAPackage("dev.plumb.elf..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "dev.plumb.elf..")
                .or(resideInAPackage("io.airlift.compress.v3..")))
        .check(CLASSES);
    classes()
        .that()
        .resideInAPackage("dev.plumb.linux..")
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "dev.plumb.linux.."))
        .check(CLASSES);
  }

  /** The package itself and all that can be reached from it. */
  private static Set<String> below(String name) {
    Set<String> reached = new LinkedHashSet<>(List.of(name));
    List<String> open = new ArrayList<>(List.of(name));
    while (!open.isEmpty()) {
      for (String next : ARROWS.getOrDefault(open.removeLast(), List.of())) {
        if (reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }

  /** The first part behind {@code dev.plumb}. */
  private static String packageOf(JavaClass c) {
    String rest = c.getPackageName().substring(ROOT.length());
    int dot = rest.indexOf('.');
    return dot < 0 ? rest : rest.substring(0, dot);
  }
}
