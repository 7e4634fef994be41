package dev.plumb.linux;

/** Which file this is, whatever its path says: device, inode, size, time of last change. */
public record FileIdentity(
    int deviceMajor, int deviceMinor, long inode, long size, long modifiedNanos) {
  public boolean sameInode(int major, int minor, long otherInode) {
    return deviceMajor == major && deviceMinor == minor && inode == otherInode;
  }
}
