package dev.plumb.symbols.jit;

/**
 * A piece of code that a JIT compiler made.
 *
 * @param text as the compiler wrote it
 * @param name the function's name in it: all of it where nothing more is known of the writer
 * @param tier V8's mark of the compiler: {@code ~} interpreter, {@code ^} Sparkplug, {@code +}
 *     Maglev, {@code *} TurboFan; else empty
 * @param file source file, or empty
 * @param line source line, or 0
 * @param exactLine whether the line is that of the address; else it is the function's first
 * @param processAddress where the code starts
 * @param size in bytes
 */
public record JitFunction(
    String text,
    String name,
    String tier,
    String file,
    int line,
    boolean exactLine,
    long processAddress,
    long size) {

  JitFunction withLine(String otherFile, int otherLine) {
    return new JitFunction(text, name, tier, otherFile, otherLine, true, processAddress, size);
  }
}
