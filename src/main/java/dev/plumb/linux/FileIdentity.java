package dev.plumb.linux;

/** Identifies a file whatever its path: device, inode, size, time of the last modification. */
public record FileIdentity(
    int deviceMajor, int deviceMinor, long inode, long size, long modifiedNanos) {
  public boolean sameInode(int major, int minor, long otherInode) {
    return deviceMajor == major && deviceMinor == minor && inode == otherInode;
  }
}
