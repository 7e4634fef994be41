/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What every collector shares with user space: the records in the ring buffer, the maps, and the
 * counters of losses. dev.plumb.collect.kernel.Records reads these layouts; a test keeps both equal.
 */
#ifndef PLUMB_H
#define PLUMB_H

#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define MAX_KERNEL_FRAMES 127 /* the kernel's own limit: kernel.perf_event_max_stack */
#define MAX_USER_FRAMES 1024

enum record_kind {
	RECORD_STACK = 1,
	RECORD_CPU = 2,
	RECORD_OFFCPU = 3,
	RECORD_COPY = 4,
	RECORD_RUNQ = 5,
	RECORD_LOCK = 6,
	RECORD_MEM = 7,
	RECORD_IO = 8,
	RECORD_READAHEAD = 9,
	RECORD_PROBE = 10,
	RECORD_BLOCK = 11,
	RECORD_FAULT = 12,
	RECORD_FORKS = 13,
	RECORD_LOAD = 14,
	RECORD_CACHE = 15,
	RECORD_LIGHT = 16,
	RECORD_KMEM = 17,
};

/* How unwinding of the user stack ended. dev.plumb.profile.StackEnd has the same order. */
enum stack_end {
	END_WHOLE, /* at the outermost frame */
	END_DEPTH, /* at the limit on frames */
	END_NO_FRAME_POINTER, /* in code that seems to keep no frame pointer */
	END_UNREADABLE, /* stack memory could not be read */
	END_UNMAPPED, /* an address in no mapping; set by user space */
	END_UNSUPPORTED, /* a rule that cannot be applied here */
	END_ASTRAY, /* the caller's frame would not lie above this one */
	END_NARROW, /* in 32-bit code without frame pointers */
	END_EARLY, /* frame pointers only: the table was not loaded yet */
	END_GENERATED, /* in JIT code without a table; set by user space */
	END_OTHER, /* only in files: a reason that a newer version wrote */
	END_TOO_MANY, /* user space had no room for more stacks and kept only the leaf */
};

/* Flags a user address that is no return address: where a signal interrupted, or a landing pad. */
#define INTERRUPTED (1ULL << 63)

/*
 * A stack, sent before the first sample that refers to it. Its addresses follow: first the user
 * frames, then the kernel frames, each leaf first.
 */
struct stack_record {
	u32 kind;
	u32 tgid;
	u64 id;
	u64 process; /* process_of(): one process, until it execs or exits */
	u64 time;
	u32 kernel_frames;
	u16 user_frames;
	u8 end;
	u8 pad;
};

#define COPY_AT_ENTRY (1U << 31) /* the function at pc has just been entered */

/*
 * A stack that could not be unwound here yet, sent instead of a stack_record: registers, kernel
 * addresses, and after the record a copy of the user stack. User space unwinds it.
 */
struct copy_record {
	u32 kind;
	u32 tgid;
	u64 id;
	u64 process;
	u64 time;
	u32 kernel_frames;
	u32 bytes; /* size of the copy, or'ed with COPY_AT_ENTRY */
	u64 pc;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 cx; /* 0 if unknown */
	u64 di;
	u64 ax;
	u64 absent; /* bitmap of pages that could not be copied; bit 0 is the page of sp */
	u64 frames[MAX_KERNEL_FRAMES];
};

/* What the timer interrupted on a CPU. */
struct cpu_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
};

/* What a CPU was running, and how many threads were runnable on it, including that one (length). */
struct load_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 length;
};

/* A thread is back on a CPU: time is when it came back, duration is how long it was away. */
struct offcpu_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 duration;
	u32 state;
	u32 waker_tgid;
	u32 waker_tid;
	u32 pad;
	u64 waker_stack;
};

enum counter {
	COUNT_TICKS, /* the timer fired */
	COUNT_IDLE, /* ... on an idle CPU */
	COUNT_DUE, /* events to keep: the sum of those kept and those lost */
	COUNT_LOST_SAMPLES, /* the ring buffer was full */
	COUNT_LOST_STACKS, /* ... when a stack had to be sent; its event is lost with it */
	COUNT_LOST_WAITS, /* the map of waiting threads was full */
	COUNT_LOST_CHILDREN, /* the map of watched processes was full */
	COUNT_COPIES, /* stacks copied for user space to unwind */
	COUNT_UNCOPIED, /* ... that could not be copied and were unwound by frame pointers */
	COUNT_LOST_SUMS, /* the map of sums was full */
	COUNT_LOST_CALLS, /* the map of pending calls was full, or all scratch buffers in use */
	COUNT_LOST_BLOCKS, /* the map of allocated blocks was full */
	COUNT_LOST_PAGES, /* the map of pages that nobody has used yet was full */
	COUNTERS,
};

/* Each object has its own counters, so that a loss belongs to the mode whose event it was. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, u32);
	__type(value, u64);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} records SEC(".maps");

static __always_inline void count_many(u32 what, u64 events)
{
	u64 *n = bpf_map_lookup_elem(&counters, &what);

	if (n)
		*n += events;
}

static __always_inline void count(u32 what)
{
	count_many(what, 1);
}

/* A quarter of the ring buffer: with so much unread, programs wake the reader, which else polls. */
const volatile u64 wakeup_bytes = 1 << 20;

static __always_inline u64 wakeup(void)
{
	return bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP
									      : BPF_RB_NO_WAKEUP;
}

static __always_inline void send(void *record, u64 size)
{
	if (bpf_ringbuf_output(&records, record, size, wakeup()))
		count(COUNT_LOST_SAMPLES);
}

/*
 * Argument n of a tracepoint, where its position differs between kernels or not all have it. In
 * assembly, because the compiler would select the address first and then load from it; the verifier
 * rejects a load through a modified ctx.
 */
#define ARGUMENT(ctx, n)                                                                           \
	({                                                                                         \
		u64 value;                                                                         \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(value) : "r"(ctx), "i"((n) * 8));     \
		value;                                                                             \
	})

/* Two programs for one tracepoint: tp_btf, which is faster, and raw for kernels that refuse it. */
#define TRACEPOINT_PROGRAMS(if_asked, event, function, name) \
	SEC(if_asked "tp_btf/" #event)                       \
	int name##_btf(u64 *ctx)                             \
	{                                                    \
		return function(ctx);                        \
	}                                                    \
	SEC("?raw_tp/" #event)                               \
	int name##_raw(u64 *ctx)                             \
	{                                                    \
		return function(ctx);                        \
	}

#define TRACEPOINT(event, function) TRACEPOINT_PROGRAMS("", event, function, function)

/* The same for a tracepoint that not all kernels have: loaded only if user space asks for it. */
#define OPTIONAL_TRACEPOINT(event, function, name) TRACEPOINT_PROGRAMS("?", event, function, name)

#endif
