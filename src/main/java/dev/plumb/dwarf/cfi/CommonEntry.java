package dev.plumb.dwarf.cfi;

import dev.plumb.elf.ElfBytes;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What many functions share (CIE): how their entries are written and the rules they start with.
 *
 * <pre>
 * u32 length, or 0xffffffff and u64 length    version 4: u8 address size, u8 segment size
 * u32 or u64 id                               uleb code alignment
 * u8 version                                  sleb data alignment
 * augmentation string                         u8 (version 1) or uleb return address register
 * ("eh": word)                                (z: uleb length, then what the letters stand for)
 *                                             instructions
 * </pre>
 *
 * @param bytes of the whole entry
 * @param good false if it cannot be parsed; then no function that refers to it can be either
 */
record CommonEntry(
    boolean good,
    byte[] bytes,
    long codeAlignment,
    long dataAlignment,
    int returnAddressRegister,
    int addressSize,
    int segmentSize,
    int encoding,
    boolean augmented,
    boolean signalFrame,
    RegisterState initial) {
  static final CommonEntry NONE =
      new CommonEntry(false, new byte[0], 1, 1, 0, 8, 0, 0, false, false, new RegisterState());

  /** Real ones have some tens of bytes. */
  static final int MAX_SIZE = 4096;

  /**
   * Reads the entry at an offset of the section; {@link #NONE} if it is not good.
   *
   * @param inEhFrame whether the section is .eh_frame; else it is .debug_frame
   */
  static CommonEntry read(
      ElfBytes section, long at, boolean inEhFrame, long elfAddress, ByteOrder order) {
    if (at < 0 || at > section.size() - 4) {
      return NONE;
    }
    long length = section.u32(at);
    int header = 4;
    boolean wide = length == 0xffff_ffffL;
    if (wide && section.size() - at >= 12) {
      length = section.i64(at + 4);
      header = 12;
    }
    if (length < 0 || length > MAX_SIZE || length > section.size() - at - header) {
      return NONE;
    }
    byte[] bytes = new byte[(int) length];
    section.copy(at + header, bytes, bytes.length);
    ByteReader reader = new ByteReader(order, section.is64());
    reader.set(bytes, 0, bytes.length, elfAddress + at + header);
    try {
      boolean wideId = wide && !inEhFrame;
      long id = wideId ? reader.i64() : reader.u32();
      if (id != (inEhFrame ? 0 : wideId ? -1L : 0xffff_ffffL)) {
        return NONE;
      }
      return read(reader, section.is64());
    } catch (BadEntryException e) {
      return NONE;
    }
  }

  private static CommonEntry read(ByteReader reader, boolean is64) {
    int version = reader.u8();
    if (version != 1 && version != 3 && version != 4) {
      throw BadEntryException.INSTANCE;
    }
    String augmentation = string(reader);
    int word = is64 ? 8 : 4;
    int addressSize = word;
    int segmentSize = 0;
    if (augmentation.startsWith("eh")) {
      reader.skip(word);
      augmentation = augmentation.substring(2);
    }
    if (version == 4) {
      addressSize = reader.u8();
      segmentSize = reader.u8();
    }
    long codeAlignment = reader.uleb();
    long dataAlignment = reader.sleb();
    long register = version == 1 ? reader.u8() : reader.uleb();
    if (register < 0 || register >= RegisterState.REGISTERS || codeAlignment < 0) {
      throw BadEntryException.INSTANCE;
    }
    Augmentation extra = Augmentation.read(augmentation, reader, word);
    CommonEntry entry =
        new CommonEntry(
            true,
            reader.bytes(),
            codeAlignment,
            dataAlignment,
            (int) register,
            addressSize,
            segmentSize,
            extra.encoding(),
            extra.present(),
            extra.signalFrame(),
            new RegisterState());
    FrameProgram.runInitial(entry, reader);
    return entry;
  }

  private static String string(ByteReader reader) {
    int from = reader.position();
    int length = 0;
    while (reader.u8() != 0) {
      length++;
    }
    return new String(reader.bytes(), from, length, StandardCharsets.ISO_8859_1);
  }

  /** What the letters of the augmentation say. */
  private record Augmentation(boolean present, int encoding, boolean signalFrame) {
    static Augmentation read(String letters, ByteReader reader, int word) {
      if (letters.isEmpty()) {
        return new Augmentation(false, PointerEncoding.ABSOLUTE, false);
      }
      if (letters.charAt(0) != 'z') {
        throw BadEntryException.INSTANCE;
      }
      long length = reader.uleb();
      int from = reader.position();
      reader.skip(length);
      int end = reader.position();
      ByteReader data = reader.from(from, end);
      int encoding = PointerEncoding.ABSOLUTE;
      boolean signalFrame = false;
      for (int i = 1; i < letters.length(); i++) {
        switch (letters.charAt(i)) {
          case 'R' -> encoding = data.u8();
          case 'L' -> data.u8();
          case 'P' -> skipPersonality(data, word);
          case 'S' -> signalFrame = true;
          case 'B', 'G' -> {} // AArch64: signed return addresses, tagged frames
          default -> throw BadEntryException.INSTANCE;
        }
      }
      return new Augmentation(true, encoding, signalFrame);
    }

    private static void skipPersonality(ByteReader data, int word) {
      int encoding = data.u8();
      if (encoding == PointerEncoding.ALIGNED) {
        data.encodedPointer(encoding, word, 0);
      } else if (encoding != PointerEncoding.OMITTED) {
        data.encodedNumber(encoding, word);
      }
    }
  }
}
