package dev.plumb.testing;

/** Whether this is root. */
public final class Root {
  private Root() {}

  public static boolean is() {
    return "root".equals(System.getProperty("user.name"));
  }
}
