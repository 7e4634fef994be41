package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.plumb.dwarf.LlvmSymbolizer;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.profile.Frame;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names are the same with an index and without, whatever became of the index. */
class IndexFilesTest {
  private static final int UNITS = 12;
  private static final int HEADER = 80;
  private static final int CRC_AT = 12;
  private static final String FUNCTIONS = "-functions.v1";

  private static final String SOURCE =
      """
      #define JOIN2(a, b) a##b
      #define JOIN(a, b) JOIN2(a, b)
      static inline int mix(int x) { return x * 31 ^ x >> 3; }
      #define F(n) __attribute__((noinline)) int JOIN(UNIT, n)(int *p, int x) \\
        { int s = x; while (*p) s += mix(*p++ + n); return s; }
      F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)
      """;

  private static Path built = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void build() {
    built = Fixtures.file("index.so");
    List<String> link =
        new ArrayList<>(
            List.of("gcc", "-shared", "-nostdlib", "-Wl,--build-id=sha1", "-o", built.toString()));
    for (int i = 0; i < UNITS; i++) {
      String name = "index-" + i + ".o";
      link.add(
          Fixtures.gcc(name, SOURCE, "-c", "-O2", "-g", "-fPIC", "-DUNIT=u" + i + "_").toString());
    }
    Fixtures.run(link.toArray(String[]::new));
  }

  private Path cache() {
    return folder.resolve("a/b");
  }

  @Test
  void namesAreTheSame() throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 1000);
    List<List<String>> expected = LlvmSymbolizer.answersWithSymbols(library, addresses);
    assertThat(expected.toString()).contains("u3_5").contains("mix").contains("u11_8");
    assertThat(text(look(library, addresses).frames())).isEqualTo(expected);
    Map<String, Object> made = files();
    assertThat(made.keySet()).hasSize(2);
    assertThat(made.keySet()).anyMatch(name -> name.endsWith(FUNCTIONS));
    assertThat(made.keySet()).anyMatch(name -> name.endsWith("-units.v1"));
    for (String name : made.keySet()) {
      assertThat(Files.getPosixFilePermissions(cache().resolve(name)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    // The second time nothing is made, and the functions take no memory.
    Look second = look(library, addresses);
    assertThat(text(second.frames())).isEqualTo(expected);
    assertThat(files()).isEqualTo(made);
    assertThat(second.bytes()).isLessThan(withoutIndex(library, addresses).bytes());
  }

  @Test
  void smallOnesAreNotKept() throws IOException {
    Path library = library();
    look(library, addresses(library, 10), 1 << 20, IndexFiles.LEAST);
    assertThat(cache()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {FUNCTIONS, "-units.v1"})
  void damagedOnesAreMadeAnew(String kind) throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 40);
    List<List<Frame>> expected = withoutIndex(library, addresses).frames();
    look(library, addresses);
    Path index = cache().resolve(name(kind));
    byte[] good = Files.readAllBytes(index);
    Random random = new Random(17);
    List<byte[]> mutants = new ArrayList<>();
    for (int i = 0; i < 140; i++) {
      byte[] bad = good.clone();
      bad[i < HEADER ? i : random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      mutants.add(bad);
    }
    for (int size : new int[] {0, 1, HEADER - 1, HEADER, good.length - 1, good.length + 1}) {
      mutants.add(Arrays.copyOf(good, size));
    }
    for (byte[] mutant : mutants) {
      Files.write(index, mutant);
      assertThat(look(library, addresses).frames()).isEqualTo(expected);
      assertThat(index).hasBinaryContent(good);
    }
    Path elsewhere = Files.write(folder.resolve("elsewhere"), good);
    Files.delete(index);
    Files.createSymbolicLink(index, elsewhere);
    assertThat(look(library, addresses).frames()).isEqualTo(expected);
    assertThat(Files.isSymbolicLink(index)).isFalse();
    Files.delete(index);
    Fixtures.run("mkfifo", index.toString());
    assertThat(look(library, addresses).frames()).isEqualTo(expected);
    assertThat(index).hasBinaryContent(good);
  }

  /** Lies with a good checksum may cost names, and nothing else. */
  @ParameterizedTest
  @ValueSource(strings = {FUNCTIONS, "-units.v1"})
  void liesDoNoHarm(String kind) throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 40);
    look(library, addresses);
    Path index = cache().resolve(name(kind));
    byte[] good = Files.readAllBytes(index);
    List<List<Frame>> expected = withoutIndex(library, addresses).frames();
    Random random = new Random(23);
    int believed = 0;
    for (int i = 0; i < 150; i++) {
      byte[] bad = i % 2 == 0 ? likely(good, random) : unlikely(good, random);
      Files.write(index, sealed(bad));
      List<List<Frame>> answers = look(library, addresses).frames();
      assertThat(answers).hasSameSizeAs(addresses).noneMatch(List::isEmpty);
      believed += answers.equals(expected) ? 0 : 1;
      Files.write(index, good);
    }
    // Else they were not even read.
    assertThat(believed).isGreaterThan(5);
  }

  /** One number of a column is a little off, so that all of them may still be in order. */
  private static byte[] likely(byte[] good, Random random) {
    byte[] bad = good.clone();
    bad[HEADER + 40 + 4 * random.nextInt((good.length - HEADER - 40) / 4)] +=
        (byte) (1 + random.nextInt(9));
    return bad;
  }

  /** Anything anywhere, a third of it in the counts and sizes at the start; or another length. */
  private static byte[] unlikely(byte[] good, Random random) {
    int length = random.nextInt(4) == 0 ? HEADER + 1 + random.nextInt(good.length) : good.length;
    byte[] bad = Arrays.copyOf(good, length);
    for (int n = random.nextInt(20); n >= 0; n--) {
      int most = random.nextInt(3) == 0 ? Math.min(40, length - HEADER) : length - HEADER;
      bad[HEADER + random.nextInt(most)] = (byte) random.nextInt();
    }
    return bad;
  }

  private static byte[] sealed(byte[] index) {
    ByteBuffer bytes = ByteBuffer.wrap(index).order(ByteOrder.nativeOrder()).putInt(CRC_AT, 0);
    CRC32 crc = new CRC32();
    crc.update(bytes.duplicate());
    bytes.putInt(CRC_AT, (int) crc.getValue());
    return index;
  }

  @Test
  void theIndexOfAnotherFileIsNotBelieved() throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 100);
    look(library, addresses);
    byte[] first = Files.readAllBytes(cache().resolve(name(FUNCTIONS)));
    String firstName = name(FUNCTIONS);
    // The same bytes and the same build id, but changed since.
    Files.setLastModifiedTime(library, FileTime.from(Instant.now().minusSeconds(1000)));
    List<List<Frame>> expected = withoutIndex(library, addresses).frames();
    assertThat(look(library, addresses).frames()).isEqualTo(expected);
    assertThat(files()).hasSize(4);
    Files.delete(cache().resolve(firstName));
    Path second = cache().resolve(name(FUNCTIONS));
    byte[] good = Files.readAllBytes(second);
    assertThat(good).isNotEqualTo(first);
    Files.write(second, first);
    assertThat(look(library, addresses).frames()).isEqualTo(expected);
    assertThat(second).hasBinaryContent(good);
  }

  /** Those of a stripped file depend on its debug file as well. */
  @Test
  void anotherDebugFileIsNoticed() throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 100);
    List<List<Frame>> expected = withoutIndex(library, addresses).frames();
    Path debug = folder.resolve("library.so.debug");
    Fixtures.run("objcopy", "--only-keep-debug", library.toString(), debug.toString());
    Fixtures.run("strip", "--strip-all", library.toString());
    Fixtures.run("objcopy", "--add-gnu-debuglink=" + debug, library.toString());
    assertThat(names(look(library, addresses).frames())).isEqualTo(names(expected));
    Path functions = cache().resolve(name(FUNCTIONS));
    byte[] before = Files.readAllBytes(functions);
    assertThat(names(look(library, addresses).frames())).isEqualTo(names(expected));
    assertThat(functions).hasBinaryContent(before);
    Files.setLastModifiedTime(debug, FileTime.from(Instant.now().minusSeconds(1000)));
    assertThat(names(look(library, addresses).frames())).isEqualTo(names(expected));
    assertThat(Files.readAllBytes(functions)).isNotEqualTo(before);
  }

  @Test
  void oneThatIsCutShortWhileMappedCostsNames() throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 100);
    look(library, addresses);
    try (Symbolizer symbolizer = symbolizer(1 << 20, 0);
        Mappings mappings = Mappings.ofFile(library, Files.size(library))) {
      List<Long> offsets = offsets(library, addresses);
      symbolizer.user(mappings.only(), mappings.only().start() + offsets.getFirst(), false);
      try (FileChannel channel =
          FileChannel.open(cache().resolve(name(FUNCTIONS)), StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      for (long offset : offsets) {
        assertThat(symbolizer.user(mappings.only(), mappings.only().start() + offset, false))
            .isNotEmpty();
      }
    }
  }

  @Test
  void theyStayWithinTheCeiling() throws IOException {
    Path library = library();
    List<Long> addresses = addresses(library, 100);
    look(library, addresses);
    long functions = Files.size(cache().resolve(name(FUNCTIONS)));
    long units = Files.size(cache().resolve(name("-units.v1")));
    long ceiling = functions + units + 10;
    Files.setLastModifiedTime(library, FileTime.from(Instant.now().minusSeconds(1000)));
    look(library, addresses, ceiling, 0);
    long total = 0;
    for (String name : files().keySet()) {
      total += Files.size(cache().resolve(name));
    }
    assertThat(total).isPositive().isLessThanOrEqualTo(ceiling);
  }

  @Test
  void thoseOfOtherUsersAreNotUsed() throws IOException {
    assumeThat(System.getProperty("user.name")).as("needs chown").isEqualTo("root");
    Path library = library();
    List<Long> addresses = addresses(library, 20);
    look(library, addresses);
    Path functions = cache().resolve(name(FUNCTIONS));
    Object before = files().get(name(FUNCTIONS));
    Files.setAttribute(functions, "unix:uid", 1234);
    look(library, addresses);
    assertThat(files().get(name(FUNCTIONS))).isNotEqualTo(before);
    assertThat(Files.getAttribute(functions, "unix:uid")).isEqualTo(0);
    // Nothing is put into a folder of theirs.
    Files.delete(functions);
    Files.setAttribute(cache(), "unix:uid", 1234);
    look(library, addresses);
    assertThat(functions).doesNotExist();
  }

  /** What a process with that index says, and what its tables take. */
  private record Look(List<List<Frame>> frames, long bytes) {}

  private Look look(Path library, List<Long> addresses) throws IOException {
    return look(library, addresses, 1 << 20, 0);
  }

  private Look withoutIndex(Path library, List<Long> addresses) throws IOException {
    try (Symbolizer symbolizer = new Symbolizer()) {
      symbolizer.keepIn(new SymbolCacheFolder(folder.resolve("none"), 1), Long.MAX_VALUE);
      return look(symbolizer, library, addresses);
    }
  }

  private Look look(Path library, List<Long> addresses, long ceiling, long least)
      throws IOException {
    try (Symbolizer symbolizer = symbolizer(ceiling, least)) {
      return look(symbolizer, library, addresses);
    }
  }

  private Symbolizer symbolizer(long ceiling, long least) {
    Symbolizer symbolizer = new Symbolizer();
    symbolizer.keepIn(new SymbolCacheFolder(cache(), ceiling), least);
    return symbolizer;
  }

  private static Look look(Symbolizer symbolizer, Path library, List<Long> addresses)
      throws IOException {
    List<List<Frame>> frames = new ArrayList<>();
    try (Mappings mappings = Mappings.ofFile(library, Files.size(library))) {
      for (long offset : offsets(library, addresses)) {
        frames.add(symbolizer.user(mappings.only(), mappings.only().start() + offset, false));
      }
    }
    return new Look(frames, symbolizer.tableBytes());
  }

  private static List<Long> offsets(Path library, List<Long> addresses) {
    try (ElfFile elf = ElfFile.open(library)) {
      Section text = elf.section(".text").orElseThrow();
      return addresses.stream().map(a -> a - text.elfAddress() + text.fileOffset()).toList();
    }
  }

  private static List<Long> addresses(Path library, int count) {
    try (ElfFile elf = ElfFile.open(library)) {
      return LlvmSymbolizer.addresses(elf, count, 42);
    }
  }

  private static List<List<String>> text(List<List<Frame>> all) {
    return texts(all, f -> f.file().isEmpty() ? "??:0" : f.file() + ":" + f.line());
  }

  /** Without what stripping changes. */
  private static List<List<String>> names(List<List<Frame>> all) {
    return texts(all, f -> f.file() + ":" + f.line() + "+" + f.offset());
  }

  private static List<List<String>> texts(List<List<Frame>> all, Function<Frame, String> place) {
    List<List<String>> texts = new ArrayList<>();
    for (List<Frame> frames : all) {
      texts.add(
          frames.stream().map(f -> (f.named() ? f.name() : "??") + " " + place.apply(f)).toList());
    }
    return texts;
  }

  /** A library of several units, of this test alone. */
  private Path library() throws IOException {
    return Files.copy(built, folder.toRealPath().resolve("library.so"));
  }

  /** Names, and which files they are. */
  private Map<String, Object> files() throws IOException {
    Map<String, Object> found = new TreeMap<>();
    try (Stream<Path> all = Files.list(cache())) {
      for (Path file : all.toList()) {
        found.put(file.getFileName().toString(), Files.getAttribute(file, "unix:ino"));
      }
    }
    return found;
  }

  private String name(String end) throws IOException {
    return files().keySet().stream().filter(n -> n.endsWith(end)).findFirst().orElseThrow();
  }
}
