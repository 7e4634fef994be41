// Maps of many kinds, with every attribute that a definition can have.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct key {
	__u32 pid;
	__u32 cpu;
};

struct value {
	__u64 count;
	__u32 state;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct value);
} typed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 200);
	__uint(key_size, sizeof(struct key));
	__uint(value_size, 24);
} sized SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 3);
	__uint(map_flags, BPF_F_NUMA_NODE | BPF_F_MMAPABLE);
	__uint(numa_node, 0);
	__uint(pinning, 0);
	__type(key, int);
	__type(value, __u64);
} on_node SEC(".maps");

#ifndef NO_BLOOM_FILTER
struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 50);
	__uint(map_extra, 3);
	__type(value, __u32);
} bloom SEC(".maps");
#endif

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 64);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 127 * sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(int));
} perf SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 10);
	__type(value, __u64);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 10);
	__type(key, struct key);
	__type(value, __u32);
} trie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 10);
	__type(key, struct key);
	__type(value, __u32);
} percpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 5000); /* not what the kernel takes: rounded up */
} ring SEC(".maps");

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, __u64);
};

struct inner one SEC(".maps"), two SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner);
} outer SEC(".maps") = {
	.values = { [0] = &one, [2] = &two },
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct {
		__uint(type, BPF_MAP_TYPE_HASH);
		__uint(max_entries, 8);
		__type(key, int);
		__type(value, int);
	});
} outer_hash SEC(".maps");

int tail(void *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 3);
	__uint(key_size, sizeof(int));
	__array(values, int(void *));
} programs SEC(".maps") = {
	.values = { [1] = (void *)&tail },
};

__u64 tails, found;

SEC("raw_tp/sys_enter")
int tail(void *ctx)
{
	__sync_fetch_and_add(&tails, 1);
	return 7;
}

SEC("raw_tp/sys_enter")
int use(void *ctx)
{
	struct key key = { .pid = 1 };
	struct value zero = {}, *v;
	int at = 0;
	__u64 n = 5, *p;
	void *map;

	bpf_map_update_elem(&typed, &key, &zero, BPF_ANY);
	v = bpf_map_lookup_elem(&typed, &key);
	if (v)
		v->count++;
	bpf_map_delete_elem(&sized, &key);
	bpf_map_lookup_elem(&trie, &key);
	bpf_map_lookup_elem(&percpu, &key);
	p = bpf_map_lookup_elem(&on_node, &at);
	if (p)
		*p = 3;
#ifndef NO_BLOOM_FILTER
	bpf_map_push_elem(&bloom, &at, 0);
#endif
	bpf_map_push_elem(&queue, &n, 0);
	bpf_get_stackid(ctx, &stacks, 0);
	bpf_perf_event_output(ctx, &perf, BPF_F_CURRENT_CPU, &key, sizeof(key));
	bpf_ringbuf_output(&ring, &key, sizeof(key), 0);
	at = 2;
	map = bpf_map_lookup_elem(&outer, &at);
	if (map) {
		at = 0;
		p = bpf_map_lookup_elem(map, &at);
		if (p) {
			*p += 11;
			__sync_fetch_and_add(&found, *p);
		}
	}
	map = bpf_map_lookup_elem(&outer_hash, &at);
	if (map)
		bpf_map_lookup_elem(map, &at);
	bpf_tail_call(ctx, &programs, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
