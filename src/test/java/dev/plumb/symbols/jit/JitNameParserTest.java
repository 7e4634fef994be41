package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts as V8, CPython, HotSpot and .NET write them. */
class JitNameParserTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      emptyValue = "",
      value = {
        "LazyCompile:*hot /srv/a.js:3            | hot | * | /srv/a.js | 3",
        "JS:*hot /srv/a.js:3:13                  | hot | * | /srv/a.js | 3",
        "JS:~hot file:///srv/a.mjs:3:13          | hot | ~ | file:///srv/a.mjs | 3",
        "JS:^get size /srv/my app/a.js:12:1      | get size | ^ | /srv/my app/a.js | 12",
        "JS:+emit node:events:465:44             | emit | + | node:events | 465",
        "JS:~ /srv/a.js:1:1                      | (anonymous) | ~ | /srv/a.js | 1",
        "Function:~a.b /srv/a.js:7               | a.b | ~ | /srv/a.js | 7",
        "Script:~ /srv/a.js:1:1                  | (anonymous) | ~ | /srv/a.js | 1",
        "Eval:~f evalmachine.<anonymous>:1:2     | f | ~ | evalmachine.<anonymous> | 1",
        "JS:*native                              | native | * | '' | 0",
        "JS:*odd webpack:///x.js:5:1             | odd | * | webpack:///x.js | 5",
        "JS:*far /a.js:99999999999:1             | far | * | /a.js | 0",
        "JS:                                     | JS: | '' | '' | 0",
        "JS:*                                    | JS:* | '' | '' | 0",
        "Builtin:ArrayMap                        | Builtin:ArrayMap | '' | '' | 0",
        "RegExp:a b:1:2                          | RegExp:a b:1:2 | '' | '' | 0",
        "py::Foo.<locals>.bar:/srv/a b.py        | Foo.<locals>.bar | '' | /srv/a b.py | 0",
        "py::main:<string>                       | main | '' | <string> | 0",
        "py::                                    | py:: | '' | '' | 0",
        "int java.lang.String.hashCode()         | int java.lang.String.hashCode() | '' | '' | 0",
        "void [Lib] A.B::C(int32)[Tier-0]        | void [Lib] A.B::C(int32)[Tier-0] | '' | '' | 0",
      })
  void splits(String text, String name, String tier, String file, int line) {
    JitFunction function = JitNameParser.of(text, 0x1000, 16);
    assertThat(function.text()).isEqualTo(text);
    assertThat(function.name()).isEqualTo(name);
    assertThat(function.tier()).isEqualTo(tier);
    assertThat(function.file()).isEqualTo(file);
    assertThat(function.line()).isEqualTo(line);
    assertThat(function.exactLine()).isFalse();
  }
}
