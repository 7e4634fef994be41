// For reading only: definitions in ways that other files do not use.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define __ulong(name, val) enum { CONCAT(unique_value_, __COUNTER__) = val } name

struct {
	__uint(type, 33); /* BPF_MAP_TYPE_ARENA */
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 100);
	__ulong(map_extra, 0x1ull << 44);
} arena SEC(".maps");

typedef struct {
	int a[3];
	char b;
} value_t;

struct {
	const int (*type)[BPF_MAP_TYPE_HASH];
	int (*max_entries)[7];
	const __u64 *key;
	const volatile value_t *value;
} plain SEC(".maps");

SEC("?kprobe.multi/a*")
int optional(void *ctx)
{
	return (long)bpf_map_lookup_elem(&plain, &(__u64){ 1 }) != 0;
}

SEC("uprobe.multi.s//usr/lib/libc.so.6:malloc")
int sleepable(void *ctx)
{
	return (long)bpf_map_lookup_elem(&arena, ctx) != 0;
}

SEC("something/else")
int unknown(void *ctx)
{
	return 0;
}

int _version SEC("version") = 0x60102;
char LICENSE[] SEC("license") = "Dual MIT/GPL";
