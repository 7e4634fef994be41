package dev.plumb.collect.options;

/**
 * A cgroup as the kernel knows it.
 *
 * @param id of its kernfs node, which is its folder's inode
 * @param level how many folders below its hierarchy's root
 * @param controller a controller of its v1 hierarchy, e.g. {@code cpu}; empty for v2
 */
public record CgroupTarget(String path, long id, int level, String controller) {}
