// The everyday things: settings, maps, a global function, CO-RE, records in a ring.
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	struct task_struct *group_leader;
} __attribute__((preserve_access_index));

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

const volatile int target_tgid = 0;
const volatile bool only_target = false;
const volatile __u64 stamp = 7;
const volatile char tag[8] = "none";

__u64 seen;
int answer = 42;

struct record {
	__u64 stamp;
	__u32 tgid;
	__u32 sum;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} percpu SEC(".maps");

__attribute__((noinline)) int add(int a, int b)
{
	return a + b + answer;
}

static __attribute__((noinline)) void count(__u32 key)
{
	__u64 one = 1, *value = bpf_map_lookup_elem(&counts, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_NOEXIST);
	__u32 zero = 0;
	value = bpf_map_lookup_elem(&percpu, &zero);
	if (value)
		*value += 1;
}

static int record(struct task_struct *task)
{
	struct record *r;
	__u32 tgid = BPF_CORE_READ(task, group_leader, pid);

	if (only_target && tgid != target_tgid)
		return 0;
	__sync_fetch_and_add(&seen, 1);
	count(tgid);
	r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);
	if (!r)
		return 0;
	r->stamp = stamp;
	r->tgid = tgid;
	r->sum = add(1, tag[0]);
	BPF_CORE_READ_STR_INTO(&r->comm, task, group_leader, comm);
	bpf_ringbuf_submit(r, 0);
	return 0;
}

SEC("perf_event")
int on_sample(void *ctx)
{
	return record((struct task_struct *)bpf_get_current_task());
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev)
{
	return record(prev);
}

SEC("raw_tp/sys_enter")
int on_enter(struct bpf_raw_tracepoint_args *ctx)
{
	if (ctx->args[1] != 39) /* getpid */
		return 0;
	return record((struct task_struct *)bpf_get_current_task());
}

SEC("tracepoint/syscalls/sys_enter_gettid")
int on_gettid(void *ctx)
{
	return record((struct task_struct *)bpf_get_current_task());
}

SEC("iter/task")
int each_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	int tgid;

	if (!task || task->pid != task->tgid)
		return 0;
	tgid = task->tgid;
	bpf_seq_write(ctx->meta->seq, &tgid, sizeof(tgid));
	return 0;
}

#ifndef ORACLE /* bpftool cannot pin what is not loaded */
SEC("?fentry/no_such_function")
int BPF_PROG(not_loaded)
{
	return 0;
}
#endif

char LICENSE[] SEC("license") = "GPL";
