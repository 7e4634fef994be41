import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Brings the old class files of a jar to Java 25: picocli is compiled for Java 5, and the JVM's
 * ahead-of-time cache leaves classes before Java 6 out, so that each start would load and verify
 * them anew.
 */
final class ModernClasses {
  private static final int JAVA_8 = 52;

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        FileSystem files = FileSystems.newFileSystem(jar)) {
      ClassFile tool =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(loader)
                      .orElse(ClassHierarchyResolver.defaultResolver())));
      List<Path> classes;
      try (Stream<Path> all = Files.walk(files.getPath("/"))) {
        classes = all.filter(file -> file.toString().endsWith(".class")).toList();
      }
      for (Path file : classes) {
        ClassModel model = tool.parse(Files.readAllBytes(file));
        if (model.majorVersion() < JAVA_8) {
          Files.write(file, modern(tool, model));
        }
      }
    }
  }

  private static byte[] modern(ClassFile tool, ClassModel model) {
    ClassTransform version =
        (builder, element) -> {
          if (element instanceof ClassFileVersion) {
            builder.withVersion(ClassFile.JAVA_25_VERSION, 0);
          } else {
            builder.with(element);
          }
        };
    // Code that goes through a transform is written anew, with the stack maps that it has to have.
    CodeTransform same = (builder, element) -> builder.with(element);
    return tool.transformClass(model, ClassTransform.transformingMethodBodies(same).andThen(version));
  }
}
