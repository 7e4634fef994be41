// Maps to be read from outside, and an iterator over one of them.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;
	void *value;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 5000);
	__type(key, __u64);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 500);
	__type(key, __u32);
	__uint(value_size, 12);
} percpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 300);
	__type(key, __u32);
	__type(value, __u64);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, __u64);
} queue SEC(".maps");

SEC("iter/bpf_map_elem")
int each(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 *key = ctx->key, *value = ctx->value, sum;

	if (!key || !value)
		return 0;
	sum = *key + *value;
	bpf_seq_write(ctx->meta->seq, &sum, sizeof(sum));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
