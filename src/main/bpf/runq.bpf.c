// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Run queues: how long a thread that could run waits for a CPU, from its wake-up or its preemption
 * until it runs, with the stack with which it left its CPU. Every wait counts.
 */
#include "sums.h"

/* What is known of a thread since it left its CPU. */
struct turn {
	u64 since; /* when it became runnable; 0 while it runs or sleeps */
	u64 stack; /* with which it left its CPU */
	u32 cpu; /* on which it ran last */
	u32 detail; /* for its next wait */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct turn);
} turns SEC(".maps");

/* The detail of a sum: the bucket of the wait, and above it: */
#define DETAIL_MIGRATED 0x100
#define DETAIL_PREEMPTED 0x200

static __always_inline void leave(void *ctx, bool preempted, struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid), tid = BPF_CORE_READ(task, pid);
	struct user_registers user = {};
	struct turn *known, turn = {};

	if (!tid || state_of(task) & TASK_DEAD || !watched(task, tgid, tid))
		return;
	current_registers(task, &user);
	turn.stack = find_stack(ctx, SCRATCH_RUN, task, tgid, &user, KERNEL_AT_CTX);
	turn.cpu = bpf_get_smp_processor_id();
	if (preempted) {
		turn.detail = DETAIL_PREEMPTED;
		turn.since = bpf_ktime_get_ns();
	}
	known = bpf_map_lookup_elem(&turns, &tid);
	if (known)
		*known = turn;
	else if (bpf_map_update_elem(&turns, &tid, &turn, BPF_ANY)) {
		count(COUNT_DUE);
		count(COUNT_LOST_WAITS);
	}
}

static __always_inline void run(struct task_struct *task)
{
	u32 tid = BPF_CORE_READ(task, pid);
	struct turn *turn = bpf_map_lookup_elem(&turns, &tid);
	struct sum_key key = { .tid = tid, .kind = RECORD_RUNQ };
	u64 waited;

	if (!turn || !turn->since)
		return;
	waited = bpf_ktime_get_ns() - turn->since;
	turn->since = 0;
	key.stack = turn->stack;
	count(COUNT_DUE);
	if (!key.stack) {
		count(COUNT_LOST_STACKS);
		return;
	}
	key.detail = bucket(waited) | turn->detail;
	if (turn->cpu != bpf_get_smp_processor_id())
		key.detail |= DETAIL_MIGRATED;
	add_sum(&key, 1, waited, 0);
}

static __always_inline int on_switch(u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];

	leave(ctx, ctx[0] || !state_of(prev), prev);
	run((struct task_struct *)ctx[2]);
	return 0;
}

/* A thread becomes runnable; it counts only if it was seen leaving its CPU. */
static __always_inline int on_wakeup(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);
	struct turn *turn = bpf_map_lookup_elem(&turns, &tid);

	if (turn && !turn->since)
		turn->since = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&turns, &tid);
	return 0;
}

TRACEPOINT(sched_switch, on_switch)
TRACEPOINT(sched_wakeup, on_wakeup)
TRACEPOINT(sched_process_exit, on_exit)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
