// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that programs allocate, looked at now and then: user space puts the probes on for short windows
 * and takes them off again. What is allocated in a window counts, by the entries of the functions alone:
 * one trap each. And all the time, by how much the resident memory grows.
 *
 * A program is slower while it is trapped. So each thread's traps are counted and timed, in windows and
 * around them; with the CPU time that it used user space tells how far it has come meanwhile.
 */
#include "calls.h"
#include "resident.h"

/* The detail of sums that say how resident memory grew. */
#define DETAIL_GROWN 1

/* A thread that was trapped. dev.plumb.collect.LightWindows reads it. */
struct trapped {
	u64 traps;
	u64 nanos; /* that our programs took in them */
	u64 bytes; /* allocated in windows */
	u64 sp; /* of the call that counted last */
	u64 way_back; /* that it put there */
	u64 function;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct trapped);
} trapped_threads SEC(".maps");

/* A window is open until then. */
volatile u64 window_end = 0;

enum function {
	SIZE_FIRST,
	SIZE_SECOND,
	SIZE_THIRD,
	SIZE_PRODUCT,
	SIZE_LATER_PRODUCT,
};

/*
 * Whether the call that counted last still goes on: an allocator may use itself, or jump from one function
 * to another. Where it has returned to its caller, the next call of that one has put another address there.
 */
static __always_inline bool is_within(struct trapped *thread, u64 sp, u64 way_back, u64 function)
{
#if defined(__TARGET_ARCH_x86)
	u64 lies_there = 0;

	if (thread->sp == sp)
		return thread->way_back == way_back && thread->function != function;
	return thread->sp > sp && thread->sp - sp < 4096 &&
	       !bpf_probe_read_user(&lies_there, sizeof(lies_there), (void *)thread->sp) &&
	       lies_there == thread->way_back;
#else
	/* Where a function has put its way back nobody knows: only jumps can be told. */
	return thread->sp == sp && thread->way_back == way_back && thread->function != function;
#endif
}

static __always_inline void allocate(struct pt_regs *ctx, struct task_struct *task, u64 id,
				     struct trapped *thread, u64 function, u64 size)
{
	struct sum_key sum = { .tid = id, .kind = RECORD_LIGHT };
	u64 sp = SP(ctx), way_back = 0;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_user(&way_back, sizeof(way_back), (void *)sp);
#elif defined(__TARGET_ARCH_arm64)
	way_back = ctx->user_regs.regs[30];
#endif
	if (is_within(thread, sp, way_back, function))
		return;
	thread->sp = sp;
	thread->way_back = way_back;
	thread->function = function;
	sum.stack = stack_of(ctx, task, id >> 32);
	if (!sum.stack)
		return; /* counted when it was lost */
	add_sum(&sum, 1, size, 0);
	thread->bytes += size;
}

static __always_inline int enter(struct pt_regs *ctx, u64 function, u64 size)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), since = bpf_ktime_get_ns();
	struct trapped *thread, fresh = {};
	u32 tid = id;

	if (!watched(task, id >> 32, tid))
		return 0;
	thread = bpf_map_lookup_elem(&trapped_threads, &tid);
	if (!thread) {
		bpf_map_update_elem(&trapped_threads, &tid, &fresh, BPF_NOEXIST);
		thread = bpf_map_lookup_elem(&trapped_threads, &tid);
		if (!thread) {
			count(COUNT_LOST_CALLS);
			return 0;
		}
	}
	if (since < window_end)
		allocate(ctx, task, id, thread, function, size);
	thread->traps++;
	thread->nanos += bpf_ktime_get_ns() - since;
	return 0;
}

SEC("uprobe.multi")
int on_first(struct pt_regs *ctx)
{
	return enter(ctx, SIZE_FIRST, FIRST(ctx));
}

SEC("uprobe.multi")
int on_second(struct pt_regs *ctx)
{
	return enter(ctx, SIZE_SECOND, SECOND(ctx));
}

SEC("uprobe.multi")
int on_third(struct pt_regs *ctx)
{
	return enter(ctx, SIZE_THIRD, THIRD(ctx));
}

SEC("uprobe.multi")
int on_product(struct pt_regs *ctx)
{
	return enter(ctx, SIZE_PRODUCT, FIRST(ctx) * SECOND(ctx));
}

SEC("uprobe.multi")
int on_later_product(struct pt_regs *ctx)
{
	return enter(ctx, SIZE_LATER_PRODUCT, SECOND(ctx) * THIRD(ctx));
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&trapped_threads, &tid);
	return 0;
}

static __always_inline int on_size(u64 *ctx)
{
	struct sum_key key = { .detail = DETAIL_GROWN, .kind = RECORD_LIGHT };
	u64 bytes = grown_bytes(ctx, &key);

	if (bytes)
		add_sum(&key, 0, bytes, 0);
	return 0;
}

TRACEPOINT(sched_process_exit, on_exit)
TRACEPOINT(rss_stat, on_size)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
