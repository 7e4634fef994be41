/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Copies stacks that cannot be unwound here yet, so that user space unwinds them. */
#ifndef PLUMB_COPY_H
#define PLUMB_COPY_H

#include "unwind.h"

const volatile bool want_kernel = true;

#define MAX_COPY (64 << 10)
#define USER_PAGE 4096

/*
 * How many bytes are copied of a stack whose size is unknown. User space raises it when stacks turn
 * out to be larger.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} copy_limit SEC(".maps");

/*
 * The rate limit, per CPU and scratch buffer: one copy per COPY_NANOS on average, in bursts of up
 * to MOST_COPIES, because new code comes in bursts.
 */
#define COPY_NANOS 100000
#define MOST_COPIES 4000

/*
 * The first copies in each tenth of a second wake the reader: the sooner it loads tables, the fewer
 * copies are needed.
 */
#define WAKING_NANOS 100000000
#define WAKING_COPIES 4

struct copy {
	struct copy_record record;
	u8 stack[MAX_COPY];
	u64 busy; /* not sent: set while a program fills the buffer, which others may interrupt */
};

/* Buffers for copies, some per CPU (copy_buffer). User space sets the total. */
#define COPIES_A_CPU 4

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COPIES_A_CPU);
	__type(key, u32);
	__type(value, struct copy);
} copies SEC(".maps");

/* Whether a stack may be copied now. */
enum copy_turn {
	COPY_NOT,
	COPY_QUIETLY,
	COPY_AND_WAKE,
};

/* The buffer for copies that belongs to a scratch buffer; none for the two that are rarely used. */
static __always_inline u32 copy_buffer(u32 slot)
{
	u32 first = COPIES_A_CPU * bpf_get_smp_processor_id();

	switch (slot) {
	case SCRATCH_TIMER:
		return first;
	case SCRATCH_TASK:
		return first + 1;
	case SCRATCH_TASK + 1:
		return first + 2;
	case SCRATCH_TASK + 2:
	case SCRATCH_TASK + 3:
		return ~0U;
	default:
		return first + 3;
	}
}

/*
 * Applies the rate limit and takes the buffer, which several programs of a CPU share: a wake-up in
 * an interrupt may find it half full. A function of its own, to save BPF stack space in its callers.
 */
__noinline u32 copy_turn(u32 slot, u64 now)
{
	u32 buffer = copy_buffer(slot);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	struct copy *copy = bpf_map_lookup_elem(&copies, &buffer);
	u64 earliest = now - (u64)MOST_COPIES * COPY_NANOS;

	if (!s || !copy || *(volatile u64 *)&copy->busy)
		return COPY_NOT;
	if (s->copies_until < earliest)
		s->copies_until = earliest;
	if (s->copies_until > now)
		return COPY_NOT;
	s->copies_until += COPY_NANOS;
	*(volatile u64 *)&copy->busy = 1;
	if (now - s->waking_since > WAKING_NANOS) {
		s->waking_since = now;
		s->waking_copies = 0;
	}
	return s->waking_copies++ < WAKING_COPIES ? COPY_AND_WAKE : COPY_QUIETLY;
}

/* Or'ed to the size of a page that could not be copied. */
#define ABSENT (1U << 31)

/*
 * Copies the rest of a page of a stack. Returns its size, with ABSENT if it could not be read; 0 if
 * there is no more room. A global function, so that it is verified only once.
 */
__noinline u32 copy_page(u32 buffer, u64 sp, u64 done, u64 limit)
{
	struct copy *copy = bpf_map_lookup_elem(&copies, &buffer);
	u64 at = sp + done, size = USER_PAGE - (at & (USER_PAGE - 1));

	if (size > limit - done)
		size = limit - done;
	size--; /* 5.10 learns a bound only from a single comparison of the very register */
	barrier_var(done);
	barrier_var(size);
	if (!copy || size >= USER_PAGE || done > MAX_COPY - USER_PAGE)
		return 0;
	size = (size & (USER_PAGE - 1)) + 1;
	return size | (bpf_probe_read_user(&copy->stack[done], size, (void *)at) ? ABSENT : 0);
}

/*
 * Copies a stack page by page into a buffer and returns its size. A page may be absent because it
 * belongs to a large variable that nobody has touched yet; if the stack's end is unknown, an absent
 * page is taken for the end.
 */
__noinline u32 copy_pages(u32 buffer, u64 sp, u64 limit, u32 end_is_known)
{
	struct copy *copy = bpf_map_lookup_elem(&copies, &buffer);
	u64 done = 0;

	if (!copy)
		return 0;
	copy->record.absent = 0;
	for (u32 i = 0; i <= MAX_COPY / USER_PAGE; i++) {
		u32 size = copy_page(buffer, sp, done, limit);

		if (!size || (size & ABSENT && !end_is_known))
			break;
		copy->record.absent |= (u64)(size >> 31) << i;
		done += size & ~ABSENT;
	}
	return done;
}

/* Restores the return address of one probed call in the copy. Returns the next outer call, or 0. */
__noinline u64 undo_copied_return(u32 slot, u32 buffer, u64 instance)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	struct copy *copy = bpf_map_lookup_elem(&copies, &buffer);
	struct return_instance *call = (struct return_instance *)instance;
	u64 at;

	if (!s || !copy)
		return 0;
	at = BPF_CORE_READ(call, stack) - copy->record.sp;
	barrier_var(at);
	/* After a longjmp out of the call the kernel still lists it, but other data lies there. */
	if (at < MAX_COPY - sizeof(u64) && !(at & 7) &&
	    *(u64 *)&copy->stack[at & ~7ULL] == s->trampoline)
		*(u64 *)&copy->stack[at & ~7ULL] = BPF_CORE_READ(call, orig_ret_vaddr);
	return (u64)BPF_CORE_READ(call, next);
}

/* Restores the return addresses in the copy that uretprobes have replaced. */
__noinline int undo_copied_returns(u32 slot, u32 buffer)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 call = s ? s->instance : 0;

	for (u32 i = 0; i < 64 && call; i++)
		call = undo_copied_return(slot, buffer, call);
	return 0;
}

/* As bytes_used, for a goroutine: Go's thread-local word points to its stack's {start, end}. */
static __always_inline u64 goroutine_bytes(u64 fsbase, u64 sp)
{
	u64 goroutine = 0, bounds[2] = {};

	if (bpf_probe_read_user(&goroutine, sizeof(goroutine), (void *)(fsbase - 8)) ||
	    bpf_probe_read_user(bounds, sizeof(bounds), (void *)goroutine))
		return ~0ULL;
	return sp >= bounds[0] && sp < bounds[1] ? bounds[1] - sp : ~0ULL;
}

/* How many bytes of a stack are in use; ~0 if that is unknown or more than MAX_COPY. */
static __always_inline u64 bytes_used(u64 sp, struct task_struct *task)
{
	u64 used = BPF_CORE_READ(task, mm, start_stack) - sp;

	/* The main thread's stack: above start_stack there are only arguments and environment. */
	if (used <= MAX_COPY)
		return used;
#if defined(__TARGET_ARCH_x86)
	/* Another thread's stack: C libraries put the block that fs points to just above it. */
	used = BPF_CORE_READ(task, thread.fsbase) - sp;
	if (used <= MAX_COPY)
		return used;
	used = goroutine_bytes(BPF_CORE_READ(task, thread.fsbase), sp);
	if (used <= MAX_COPY)
		return used;
#endif
	return ~0ULL;
}

/* Copies a stack into a buffer and returns its size. */
static __always_inline u32 copy_stack(u32 buffer, u64 sp, struct task_struct *task)
{
	u32 zero = 0, *limit = bpf_map_lookup_elem(&copy_limit, &zero);
	u64 used = bytes_used(sp, task);

	if (used <= MAX_COPY)
		return copy_pages(buffer, sp, used, true);
	return limit ? copy_pages(buffer, sp, *limit, false) : 0;
}

/*
 * Sends a copy of the user stack, with the kernel's frames. Returns the stack's id, 0 if there is
 * no free buffer, the rate limit is reached, or the ring buffer is too full.
 */
static __always_inline u64 send_copy(void *ctx, u32 slot, struct task_struct *task,
				     struct scratch *s, struct user_registers *user, bool kernel)
{
	u32 at = copy_buffer(slot), turn;
	u64 time = s->record.time, size;
	struct copy *copy = bpf_map_lookup_elem(&copies, &at);
	bool failed;
	long bytes;

	/* Copies are large: half of the ring buffer is kept for everything else. */
	if (!copy || bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > 2 * wakeup_bytes)
		return 0;
	turn = copy_turn(slot, time);
	if (turn == COPY_NOT)
		return 0;
	copy->record.kind = RECORD_COPY;
	copy->record.tgid = s->record.tgid;
	s->copy_id = mix(mix(s->record.process, time), at) ?: 1;
	copy->record.id = s->copy_id;
	copy->record.process = s->record.process;
	copy->record.time = time;
	copy->record.pc = user->pc;
	copy->record.sp = user->sp;
	copy->record.fp = user->fp;
	copy->record.bx = user->bx;
	copy->record.cx = user->cx;
	copy->record.di = user->di;
	copy->record.ax = user->ax;
	bytes = kernel ? bpf_get_stack(ctx, copy->record.frames, sizeof(copy->record.frames), 0) : 0;
	copy->record.kernel_frames = bytes > 0 ? bytes / sizeof(u64) : 0;
	copy->record.bytes = copy_stack(at, user->sp, task);
	if (s->trampoline)
		undo_copied_returns(slot, at);
	size = sizeof(copy->record) + (u64)copy->record.bytes;
	barrier_var(size);
	if (user->at_entry)
		copy->record.bytes |= COPY_AT_ENTRY;
	failed = size > sizeof(*copy) ||
		 bpf_ringbuf_output(&records, copy, size,
				    turn == COPY_AND_WAKE ? BPF_RB_FORCE_WAKEUP : wakeup());
	*(volatile u64 *)&copy->busy = 0;
	if (failed)
		return 0; /* the caller falls back to frame pointers, whose record may fit */
	count(COUNT_COPIES);
	return s->copy_id;
}

#endif
