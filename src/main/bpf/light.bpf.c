// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that programs allocate, sampled in time: user space attaches the probes for short windows
 * only. Allocations in a window count. Only entries of functions are probed, so that each call
 * costs one trap. The growth of resident memory is recorded all the time.
 *
 * Traps slow a program down, so that it allocates less in a window than outside. To correct for
 * that, each thread's traps are counted and timed, in the window and around it; together with the
 * thread's CPU time, they tell user space how far it came.
 */
#include "calls.h"
#include "resident.h"

/* The detail of sums whose value is the growth of resident memory. */
#define DETAIL_GROWN 1

/* A thread that was trapped. dev.plumb.collect.memory.LightWindows reads it. */
struct trapped {
	u64 traps;
	u64 nanos; /* that our programs took in them */
	u64 bytes; /* allocated in windows */
	/* The call that was counted last: */
	u64 sp;
	u64 way_back; /* its return address */
	u64 function;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct trapped);
} trapped_threads SEC(".maps");

/* When the current window ends; in the past if none is open. */
volatile u64 window_end = 0;

/* Which arguments of a function say how many bytes it allocates. */
enum function {
	SIZE_FIRST,
	SIZE_SECOND,
	SIZE_THIRD,
	SIZE_PRODUCT,
	SIZE_LATER_PRODUCT,
};

/*
 * Whether the call that was counted last still runs: an allocator may call itself, or jump from one
 * function to another. If it had returned, the caller's next call would have put another return
 * address there.
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
	/* Where a function saves its return address is unknown: only jumps can be recognised. */
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

/* The entry of an allocating function: counts the trap and, in a window, the allocation. */
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
