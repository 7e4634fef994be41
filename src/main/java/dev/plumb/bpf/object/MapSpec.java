package dev.plumb.bpf.object;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A map to be made: what the object file says, which may be changed before the load. */
public final class MapSpec {
  /** Of maps that a program may read only. */
  public static final int F_RDONLY_PROG = 1 << 7;

  /** Of arrays that can be mapped into memory. */
  public static final int F_MMAPABLE = 1 << 10;

  static final int F_NUMA_NODE = 1 << 2;

  private final String name;
  private int type;
  private int keySize;
  private int valueSize;
  private int maxEntries;
  private int flags;
  private int numaNode;
  private long extra;
  private int keyType;
  private int valueType;
  private MapSpec inner;
  private byte[] contents;
  private boolean frozen;
  private final Map<Integer, String> slots = new TreeMap<>();

  public MapSpec(String name) {
    this.name = name;
  }

  public String name() {
    return name;
  }

  /** {@link MapType}. */
  public int type() {
    return type;
  }

  public MapSpec type(int mapType) {
    type = mapType;
    return this;
  }

  public int keySize() {
    return keySize;
  }

  public MapSpec keySize(int bytes) {
    keySize = bytes;
    return this;
  }

  public int valueSize() {
    return valueSize;
  }

  public MapSpec valueSize(int bytes) {
    valueSize = bytes;
    return this;
  }

  public int maxEntries() {
    return maxEntries;
  }

  /** Of a ring buffer its size in bytes, which is rounded up to what the kernel takes. */
  public MapSpec maxEntries(int entries) {
    maxEntries = entries;
    return this;
  }

  public int flags() {
    return flags;
  }

  public MapSpec flags(int bits) {
    flags = bits;
    return this;
  }

  public int numaNode() {
    return numaNode;
  }

  public MapSpec numaNode(int node) {
    numaNode = node;
    flags |= F_NUMA_NODE;
    return this;
  }

  /** As the object file says it: the flag is the file's own business. */
  MapSpec statedNumaNode(int node) {
    numaNode = node;
    return this;
  }

  public long extra() {
    return extra;
  }

  /** What map_extra means depends on the type: of a bloom filter, its number of hashes. */
  public MapSpec extra(long value) {
    extra = value;
    return this;
  }

  /** What the maps in this map are like. */
  public Optional<MapSpec> inner() {
    return Optional.ofNullable(inner);
  }

  /** The BTF types of key and value, 0 where there are none. */
  public int keyType() {
    return keyType;
  }

  public int valueType() {
    return valueType;
  }

  public MapSpec types(int key, int value) {
    keyType = key;
    valueType = value;
    return this;
  }

  MapSpec inner(MapSpec spec) {
    inner = spec;
    return this;
  }

  /** The maps or programs that the object file puts into this map, by index. */
  public Map<Integer, String> slots() {
    return slots;
  }

  /** Of a data section: its bytes, the one value of the array that it becomes. */
  public Optional<byte[]> contents() {
    return Optional.ofNullable(contents);
  }

  public boolean isFrozen() {
    return frozen;
  }

  public MapSpec contents(byte[] bytes, boolean freeze) {
    contents = bytes;
    frozen = freeze;
    return this;
  }

  @Override
  public String toString() {
    return "map " + name;
  }
}
