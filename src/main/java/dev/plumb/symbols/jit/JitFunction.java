package dev.plumb.symbols.jit;

/**
 * A piece of code that a JIT compiler made.
 *
 * @param text as the compiler wrote it
 * @param name the function's name in the text; all of the text if its format is unknown
 * @param tier V8's mark for the compiler: {@code ~} interpreter, {@code ^} Sparkplug, {@code +}
 *     Maglev, {@code *} TurboFan; else empty
 * @param file source file, or empty
 * @param line source line, or 0
 * @param exactLine whether the line is that of the address; else it is the function's first line
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
