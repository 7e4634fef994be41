package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.Forms;
import dev.plumb.dwarf.form.SectionReader;
import dev.plumb.dwarf.form.UnitHeader;
import dev.plumb.elf.ElfException;
import java.util.Arrays;

/** The files that a line program names. It keeps only where their names are. */
final class LineFiles {
  /** Several times as many as the largest units have. */
  private static final int MAX_FILES = 1 << 18;

  private static final int CONTENT_PATH = 1;
  private static final int CONTENT_DIRECTORY = 2;

  /** The form of a version 5 entry's name is above this bit; the bits below say where it is. */
  private static final int FORM_SHIFT = 48;

  private final DwarfFile file;
  private final Unit unit;

  /** From version 5 on, files and folders count from 0, and the compiler ran in folder 0. */
  private final boolean fromZero;

  /** A name's form in the upper 16 bits, below it what {@link FormValue#bits} has. */
  private long[] folders = {};

  private int folderCount;
  private long[] files = new long[16];
  private int[] folderOf = new int[16];
  private int fileCount;
  private String[] paths = {};

  LineFiles(Unit unit, LineHeader header, SectionReader in) {
    this.unit = unit;
    this.file = unit.file;
    this.fromZero = header.version() >= 5;
    in.seek(header.tables());
    try {
      if (fromZero) {
        readTables(in, shape(header));
      } else {
        readLists(in);
      }
    } catch (DwarfException e) {
      // The files before it are good.
      fileCount = Math.max(0, fileCount);
    }
    folders = Arrays.copyOf(folders, folderCount);
    files = Arrays.copyOf(files, fileCount);
    folderOf = Arrays.copyOf(folderOf, fileCount);
    paths = new String[fileCount];
  }

  private UnitHeader shape(LineHeader header) {
    return new UnitHeader(
        0, 0, header.version(), 0, header.offsetSize(), header.addressSize(), 0, 0, 0);
  }

  /** Before version 5: strings up to an empty one; files have a folder, a time and a length. */
  private void readLists(SectionReader in) {
    long start = in.position();
    while (in.skipString() > 0) {
      addFolder(place(Dw.FORM_STRING, start));
      start = in.position();
    }
    start = in.position();
    while (in.skipString() > 0) {
      addFile(in, start);
      start = in.position();
    }
  }

  /**
   * Adds a file in the old format after its name was read; DW_LNE_define_file has the same format.
   */
  void addFile(SectionReader in, long nameOffset) {
    long folder = in.uleb();
    in.skipLeb();
    in.skipLeb();
    addFile(place(Dw.FORM_STRING, nameOffset), folder);
  }

  private void readTables(SectionReader in, UnitHeader shape) {
    readTable(in, shape, true);
    readTable(in, shape, false);
  }

  private void readTable(SectionReader in, UnitHeader shape, boolean ofFolders) {
    int[] kinds = new int[in.u8()];
    int[] forms = new int[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = (int) Math.min(0xffff, in.uleb() & Long.MAX_VALUE);
      forms[i] = (int) Math.min(0xffff, in.uleb() & Long.MAX_VALUE);
    }
    long count = in.uleb();
    FormValue value = new FormValue();
    for (long n = 0; n < count; n++) {
      if (in.atEnd() || n == MAX_FILES) {
        throw new DwarfException("more files than there are");
      }
      long name = 0;
      long folder = 0;
      for (int i = 0; i < kinds.length; i++) {
        Forms.read(in, forms[i], 0, shape, value);
        if (kinds[i] == CONTENT_PATH) {
          name = place(value.form, value.bits);
        } else if (kinds[i] == CONTENT_DIRECTORY) {
          folder = value.bits;
        }
      }
      if (ofFolders) {
        addFolder(name);
      } else {
        addFile(name, folder);
      }
    }
  }

  private static long place(int form, long bits) {
    return (long) form << FORM_SHIFT | bits & (1L << FORM_SHIFT) - 1;
  }

  private void addFolder(long place) {
    if (folderCount == MAX_FILES) {
      throw new DwarfException("too many folders");
    }
    if (folderCount == folders.length) {
      folders = Arrays.copyOf(folders, Math.max(16, 2 * folderCount));
    }
    folders[folderCount++] = place;
  }

  private void addFile(long place, long folder) {
    if (fileCount == MAX_FILES) {
      throw new DwarfException("too many files");
    }
    if (fileCount == files.length) {
      int size = Math.max(16, 2 * fileCount);
      files = Arrays.copyOf(files, size);
      folderOf = Arrays.copyOf(folderOf, size);
    }
    files[fileCount] = place;
    folderOf[fileCount++] = (int) Math.max(-1, Math.min(Integer.MAX_VALUE, folder));
  }

  /** The path of a file by its number in the line program; empty if there is none. */
  String path(long number) {
    long index = fromZero ? number : number - 1;
    if (index < 0 || index >= fileCount) {
      return "";
    }
    int i = (int) index;
    if (i >= paths.length) {
      paths = Arrays.copyOf(paths, fileCount);
    }
    if (paths[i] == null) {
      paths[i] = makePath(string(files[i]), folderOf[i]);
    }
    return paths[i];
  }

  private String makePath(String name, int folder) {
    if (isAbsolute(name)) {
      return name;
    }
    int index = fromZero ? folder : folder - 1;
    String in = index >= 0 && index < folderCount ? string(folders[index]) : "";
    // From version 5 on, folder 0 is the one that the compiler ran in.
    String path = isAbsolute(in) || fromZero && folder == 0 ? "" : unit.directory();
    return join(join(path, in), name);
  }

  private static boolean isAbsolute(String path) {
    // Also C:\…: a cross compiler may have run on Windows.
    return path.startsWith("/")
        || path.length() > 2
            && path.charAt(1) == ':'
            && (path.charAt(2) == '\\' || path.charAt(2) == '/')
        || path.startsWith("\\\\");
  }

  /** A path as seen from a folder. */
  static String resolve(String folder, String path) {
    return isAbsolute(path) ? path : join(folder, path);
  }

  private static String join(String folder, String name) {
    if (folder.isEmpty() || name.isEmpty()) {
      return folder + name;
    }
    if (folder.endsWith("/")) {
      int start = 0;
      while (start < name.length() && name.charAt(start) == '/') {
        start++;
      }
      return folder + name.substring(start);
    }
    return name.startsWith("/") ? folder + name : folder + "/" + name;
  }

  private String string(long place) {
    FormValue value = new FormValue();
    value.form = (int) (place >>> FORM_SHIFT);
    value.bits = place & (1L << FORM_SHIFT) - 1;
    if (value.form != Dw.FORM_STRING) {
      return file.string(value, unit);
    }
    try {
      // An inline string is in this section, not among the entries.
      return file.sections.line.string(value.bits);
    } catch (ElfException e) {
      return "";
    }
  }

  long bytes() {
    // A path takes a few dozen bytes after its first use.
    return 64 + 8L * folders.length + 60L * files.length;
  }
}
