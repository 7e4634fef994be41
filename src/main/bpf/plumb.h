/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What every collector shares with user space: the records of the ring buffer, the maps, the
 * counters of what was lost. dev.plumb.collect.Records reads these layouts; a test holds both equal.
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

/* How the unwinding of the user stack ended; dev.plumb.profile.StackEnd, in the same order. */
enum stack_end {
	END_WHOLE,
	END_DEPTH,
	END_NO_FRAME_POINTER,
	END_UNREADABLE,
	END_UNMAPPED, /* found by user space */
	END_UNSUPPORTED,
	END_ASTRAY,
	END_NARROW,
	END_EARLY, /* by frame pointers, because the table was not there yet */
	END_GENERATED, /* found by user space */
	END_OTHER, /* only in files */
};

/* In an address of user code that is no return address: a signal interrupted there. */
#define INTERRUPTED (1ULL << 63)

/* A stack, sent before the first sample that has it; addresses follow: user's, kernel's, leaf first. */
struct stack_record {
	u32 kind;
	u32 tgid;
	u64 id;
	u64 process; /* one program run by one process: the same until it execs or ends */
	u64 time;
	u32 kernel_frames;
	u16 user_frames;
	u8 end;
	u8 pad;
};

#define COPY_AT_ENTRY (1U << 31) /* a function has just been entered */

/*
 * A stack that could not be unwound here yet, sent instead of a stack_record: registers, kernel
 * addresses, and what lies on the user stack.
 */
struct copy_record {
	u32 kind;
	u32 tgid;
	u64 id;
	u64 process;
	u64 time;
	u32 kernel_frames;
	u32 bytes; /* with COPY_AT_ENTRY */
	u64 pc;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 cx; /* 0 if not known */
	u64 di;
	u64 ax;
	u64 absent; /* pages that could not be copied: bit 0 for that of sp */
	u64 frames[MAX_KERNEL_FRAMES];
};

struct cpu_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
};

/* What a CPU was found doing, and how many threads wanted it, that one included. */
struct load_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 length;
};

/* A thread is back on a CPU; duration is how long it was away, time is when it came back. */
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
	COUNT_DUE, /* events that are to be kept: what is kept and what is lost add up to it */
	COUNT_LOST_SAMPLES, /* the ring was full */
	COUNT_LOST_STACKS, /* ... when a stack was to be sent: the event with it */
	COUNT_LOST_WAITS, /* the map of waiting threads was full */
	COUNT_LOST_CHILDREN, /* the map of watched processes was full */
	COUNT_COPIES, /* stacks sent to be unwound by user space */
	COUNT_UNCOPIED, /* ... that were too many for that: unwound by frame pointers */
	COUNT_LOST_SUMS, /* the map of sums was full */
	COUNT_LOST_CALLS, /* the map of calls that have begun was full, or all buffers were in use */
	COUNT_LOST_BLOCKS, /* the map of allocated blocks was full */
	COUNT_LOST_PAGES, /* the map of pages that wait to be used was full */
	COUNTERS,
};

/* Each object has its own: what a mode loses is its own loss. */
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

/* Wakes the reader when a quarter of the ring is full; until then it looks at its own pace. */
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
 * An argument that some kernels have and others do not. In assembler, for the compiler would choose an
 * address first and read then, which is not allowed.
 */
#define ARGUMENT(ctx, n)                                                                           \
	({                                                                                         \
		u64 value;                                                                         \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(value) : "r"(ctx), "i"((n) * 8));     \
		value;                                                                             \
	})

/* A program for a tracepoint, both ways: with typed arguments, which is faster, else raw. */
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

/* The same for one that not all kernels have: loaded if user space asks for it. */
#define OPTIONAL_TRACEPOINT(event, function, name) TRACEPOINT_PROGRAMS("?", event, function, name)

#endif
