package dev.plumb.symbols.demangle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NameStyleTest {
  @Test
  void shortNamesHaveNoArgumentsAndNoResult() {
    assertShort("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<>::push_back");
    assertShort("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<>::size");
    assertShort("_Z1fIiEvT_", "f<>");
    assertShort("_ZlsIiEvv", "operator<< <>");
    assertShort("_ZN1AcvT_IiEEv", "A::operator int<>");
    assertShort("_ZNSsC1Ev", "std::basic_string<>::basic_string");
    assertShort("_ZZN1A1fIiEEvT_ENKUliE_clEi", "A::f<>::{lambda#1}::operator()");
    assertShort("_ZN1A3fooB5cxx11Ev.cold", "A::foo [clone .cold]");
    assertShort("_ZTV1A", "vtable for A");
    assertShort("_ZThn8_N1A1fEv", "non-virtual thunk to A::f");
    assertShort("_ZN3foo3bar17h05af221e174051e9E", "foo::bar");
    assertShort("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<>");
    assertShort("_RNvMNtC5alloc3vecINtB2_3VecjE4push", "<alloc::vec::Vec<>>::push");
  }

  @Test
  void rawNamesStayAsTheyAre() {
    assertThat(NameStyle.RAW.apply("_Z1fv")).isEqualTo("_Z1fv");
  }

  /** C, assembler, Swift, D, and words that only begin like mangled names. */
  @Test
  void otherNamesStayAsTheyAre() {
    for (String name :
        List.of(
            "",
            "_",
            "_Z",
            "_R",
            "main",
            "_start",
            "__libc_start_main",
            "_Zebra",
            "_ZN",
            "_Return",
            "_ZN3fooE!",
            "$s4main3fooyyF",
            "_$s4main3fooyyF",
            "_D3std5stdio6stdoutC",
            "_GLOBAL_x",
            "_GLOBAL__sub_I_main",
            "runtime.mcall",
            "_ZN1A1fEv.",
            "_Z1fv@plt",
            "_R\u00e9")) {
      for (NameStyle style : NameStyle.values()) {
        assertThat(style.apply(name)).isEqualTo(name);
      }
    }
  }

  private static void assertShort(String mangled, String expected) {
    assertThat(NameStyle.SHORT.apply(mangled)).isEqualTo(expected);
  }
}
