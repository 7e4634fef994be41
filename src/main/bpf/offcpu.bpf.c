// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Off-CPU: the time from when a thread leaves its CPU until it is back on one, with the stack with
 * which it left and the thread that woke it. Every wait counts; nothing is sampled.
 */
#include "stack.h"

const volatile u64 min_block_ns = 0;
const volatile u64 max_block_ns = ~0ULL;
const volatile u32 wanted_states = ~0U; /* TASK_* bits; bit 31 stands for preempted */
const volatile u64 waker_stack_ns = 50000; /* only longer waits get the waker's stack */

#define STATE_PREEMPTED (1U << 31)
#define EEXIST 17

/* The latest wait of each thread that was seen; since is 0 while it runs. */
struct wait {
	u64 since;
	u64 stack;
	u64 waker_stack;
	u32 state;
	u32 waker_tgid;
	u32 waker_tid;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct wait);
} waits SEC(".maps");

/* Counts a wait that is lost because there is no room to remember its start. */
static __always_inline void lose_wait(void)
{
	count(COUNT_DUE);
	count(COUNT_LOST_WAITS);
}

static __always_inline void leave(void *ctx, bool preempt, struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid), tid = BPF_CORE_READ(task, pid);
	u32 state = preempt ? 0 : state_of(task);
	struct user_registers user = {};
	struct wait *known, wait = {};

	if (state & TASK_DEAD || !watched(task, tgid, tid))
		return;
	wait.state = state ?: STATE_PREEMPTED;
	if (!(wait.state & wanted_states))
		return;
	current_registers(task, &user);
	wait.stack = find_stack(ctx, SCRATCH_SWITCH, task, tgid, &user, KERNEL_AT_CTX);
	wait.since = bpf_ktime_get_ns();
	known = bpf_map_lookup_elem(&waits, &tid);
	if (known)
		*known = wait;
	else if (bpf_map_update_elem(&waits, &tid, &wait, BPF_ANY))
		lose_wait();
}

static __always_inline void come_back(struct task_struct *task)
{
	u32 tid = BPF_CORE_READ(task, pid);
	struct wait *wait = bpf_map_lookup_elem(&waits, &tid);
	struct offcpu_record record = { .kind = RECORD_OFFCPU, .tid = tid };

	if (!wait || !wait->since)
		return;
	record.time = bpf_ktime_get_ns();
	record.duration = record.time - wait->since;
	record.stack = wait->stack;
	record.state = wait->state;
	record.waker_tgid = wait->waker_tgid;
	record.waker_tid = wait->waker_tid;
	record.waker_stack = wait->waker_stack;
	wait->since = 0;
	if (record.duration < min_block_ns || record.duration > max_block_ns)
		return;
	count(COUNT_DUE);
	if (!record.stack) {
		count(COUNT_LOST_STACKS);
		return;
	}
	record.tgid = BPF_CORE_READ(task, tgid);
	record.cpu = bpf_get_smp_processor_id();
	send(&record, sizeof(record));
}

static __always_inline int on_switch(u64 *ctx)
{
	leave(ctx, ctx[0], (struct task_struct *)ctx[1]);
	come_back((struct task_struct *)ctx[2]);
	return 0;
}

static __always_inline int on_waking(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);
	struct wait *wait = bpf_map_lookup_elem(&waits, &tid);
	struct user_registers user = {};
	struct task_struct *waker;
	u64 id;

	if (!wait || !wait->since || wait->waker_tid)
		return 0;
	id = bpf_get_current_pid_tgid();
	wait->waker_tgid = id >> 32;
	wait->waker_tid = id;
	if (bpf_ktime_get_ns() - wait->since < waker_stack_ns)
		return 0;
	waker = (struct task_struct *)bpf_get_current_task();
	current_registers(waker, &user);
	wait->waker_stack = find_stack(ctx, SCRATCH_WAKE, waker, id >> 32, &user, KERNEL_AT_CTX);
	return 0;
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&waits, &tid);
	return 0;
}

TRACEPOINT(sched_switch, on_switch)
TRACEPOINT(sched_waking, on_waking)
TRACEPOINT(sched_process_exit, on_exit)

/*
 * A thread that already waits when recording starts. The iterator writes these to its file, with
 * the registers, because this program cannot read another process's user stack.
 */
struct waiting_record {
	u64 stack;
	u64 process;
	u64 since;
	u32 tgid;
	u32 tid;
	u32 state;
	u32 kernel_frames;
	struct user_registers user;
	u64 frames[MAX_KERNEL_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct waiting_record);
} waiting SEC(".maps");

SEC("iter/task")
int list_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct waiting_record *out;
	struct wait *known, wait = {};
	u32 zero = 0, tid, tgid;
	u64 process;
	long bytes;

	if (!task)
		return 0;
	tid = task->pid;
	tgid = task->tgid;
	wait.state = state_of(task);
	if (!wait.state || wait.state & TASK_DEAD || !(wait.state & wanted_states) ||
	    !watched(task, tgid, tid))
		return 0;
	out = bpf_map_lookup_elem(&waiting, &zero);
	if (!out)
		return 0;
	process = process_of(task, tgid);
	known = bpf_map_lookup_elem(&waits, &tid);
	if (known && known->since && known->stack == mix(mix(process, tid), known->since)) {
		/* The kernel asks again: the buffer was full when this thread was written. */
		wait = *known;
	} else {
		wait.since = bpf_ktime_get_ns();
		wait.stack = mix(mix(process, tid), wait.since);
		long failed = bpf_map_update_elem(&waits, &tid, &wait, BPF_NOEXIST);

		if (failed && failed != -EEXIST)
			lose_wait();
		if (failed)
			return 0; /* it has run since the tracepoints were attached */
	}
	out->stack = wait.stack;
	out->process = process;
	out->since = wait.since;
	out->tgid = tgid;
	out->tid = tid;
	out->state = wait.state;
	out->user = (struct user_registers){};
	if (!(task->flags & PF_KTHREAD)) {
		if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
			read_registers((struct pt_regs *)bpf_task_pt_regs(task), &out->user);
		else
			read_registers(top_of_stack(task), &out->user);
	}
	bytes = bpf_get_task_stack(task, out->frames, sizeof(out->frames), 0);
	out->kernel_frames = bytes > 0 ? bytes / sizeof(u64) : 0;
	bpf_seq_write(ctx->meta->seq, out, sizeof(*out));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
