// Functions: static, global, weak and hidden ones, calls within and between sections, callbacks.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, __u64);
} map SEC(".maps");

__u64 total;

static __attribute__((noinline)) int leaf(int x)
{
	total += x;
	return x * 3;
}

static __attribute__((noinline)) int twice(int x)
{
	return leaf(x) + leaf(x + 1);
}

__attribute__((noinline)) int global(int x)
{
	return twice(x) - 1;
}

__weak __attribute__((noinline)) int may_be_replaced(int x)
{
	return global(x) ^ 5;
}

__hidden __attribute__((noinline)) int not_seen(__u64 *p)
{
	/* Only a function that is verified at each call may do this. */
	return *p + leaf(2);
}

static int step(__u32 i, __u64 *sum)
{
	*sum += leaf(i);
	return i > 5;
}

static int visit(void *m, int *key, __u64 *value, __u64 *sum)
{
	*sum += *value + *key;
	return 0;
}

static int unused(__u32 i, void *p)
{
	return leaf(i);
}

SEC("raw_tp/sys_enter")
int callbacks(void *ctx)
{
	__u64 sum = 0;

	bpf_loop(10, step, &sum, 0);
	bpf_for_each_map_elem(&map, visit, &sum, 0);
	return sum;
}

SEC("raw_tp/sys_enter")
int calls(void *ctx)
{
	__u64 local = total;

	return twice(3) + global(4) + may_be_replaced(5) + not_seen(&local);
}

SEC("perf_event")
int alone(void *ctx)
{
	return 0;
}

SEC("perf_event")
int last(void *ctx)
{
	return leaf(1) + (ctx ? 0 : unused(1, 0));
}

char LICENSE[] SEC("license") = "GPL";
