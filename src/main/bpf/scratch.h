/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The buffer that a stack is put together in, and the table of those that were sent. */
#ifndef PLUMB_SCRATCH_H
#define PLUMB_SCRATCH_H

#include "target.h"

/*
 * A buffer for each place that can interrupt another one on the same CPU: a timer may fire while a
 * switch is being recorded. Programs of probes in user code may even be preempted: these claim one of
 * several buffers (claim_scratch).
 */
enum scratch_slot {
	SCRATCH_TIMER,
	SCRATCH_SWITCH,
	SCRATCH_WAKE,
	SCRATCH_ITERATOR,
	SCRATCH_RUN, /* runq's switches */
	SCRATCH_IRQ, /* what interrupts do */
	SCRATCH_FORK,
	SCRATCH_TASK,
	SCRATCH_SLOTS = SCRATCH_TASK + 4,
};

struct user_registers {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 bx; /* for the few functions that find their caller by it; 0 on arm64 */
	u32 narrow; /* 32-bit code */
	u32 at_entry; /* of a function: its return address is what the stack begins with */
	u64 di; /* of the leaf: vfork keeps its return address there */
	u64 ax; /* of the leaf: 0 in a process that clone has just made */
	u64 cx, si, r10, r11; /* some code finds its caller by them, as by ax; of the leaf, 0 if not known */
};

#define USER32_CS 0x23 /* the kernel's __USER32_CS */

#define MAX_WORDS 256

/* Of recall.h: so many return addresses, within so many words of the user's stack. */
#define MAX_PLACES 64
#define MAX_PLACED_WORDS 1024
#define WINDOW_WORDS 32

/* Where the regions of a process are. */
struct region_list {
	u32 chunk;
	u32 first;
	u32 count;
	u32 pad;
};

/* A stretch of a process's code, and where its table is. */
struct region {
	u64 start;
	u64 end;
	u64 bias; /* from here on the table counts */
	u32 index_chunk;
	u32 index;
	u32 rules_chunk;
	u32 rules;
};

struct scratch {
	struct stack_record record;
	u64 frames[MAX_USER_FRAMES + MAX_KERNEL_FRAMES];
	u64 words[MAX_WORDS]; /* the kernel stack, from ctx to its top */
	struct user_registers user; /* of the frame that unwinding has come to */
	u64 window_start; /* of user memory that was read last; 0 if none */
	u64 window[WINDOW_WORDS];
	u32 by_tables; /* else by frame pointers alone */
	u32 before; /* how far before pc the instruction of the frame at hand is */
	u64 trampoline; /* where calls return to whose returns are probed; 0 if there are none */
	u64 instance; /* the innermost such call that unwinding has not come to */
	u64 bx_at; /* where its bx was saved; 0: it is in user, LOST: nobody knows */
	struct region_list regions; /* of the process */
	struct region region; /* that the last frame lay in */
	u64 copies_until; /* up to when those that were taken use up the time */
	u64 waking_since; /* when these were last counted from 0 */
	u32 waking_copies;
	u32 word_count;
	u32 claimed;
	u64 first_sp; /* that unwinding began with */
	u16 places[MAX_PLACES]; /* of return addresses, in words from there on */
	u32 has_places;
	u32 pad;
	u64 placed[MAX_PLACED_WORDS]; /* the stack from there on */
	u32 frame; /* of remember_walk: kept here, the verifier need not tell their values apart */
	u32 found;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * The stacks that were sent, by hash; a slot remembers its latest. Two that share a slot are sent
 * again whenever they alternate, which costs time but loses nothing, and needs no lock.
 */
#define SENT_SLOTS (1 << 17)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SENT_SLOTS);
	__type(key, u32);
	__type(value, u64);
} sent SEC(".maps");

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* Changed by user space when it has forgotten stacks: then all are sent again when they are met. */
volatile u64 generation = 0;

static __always_inline bool was_sent(u64 id)
{
	u32 slot = id & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);

	return known && *known == (id ^ generation);
}

/* Sends the stack in the scratch buffer unless that was done; returns its id, 0 if it was lost. */
static __always_inline u64 send_stack(struct scratch *s)
{
	u64 id = s->record.id ?: 1;
	u32 slot = id & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);
	u64 size;

	if (!known)
		return 0;
	if (*known == (id ^ generation))
		return id;
	s->record.id = id;
	size = sizeof(s->record) + (s->record.user_frames + (u64)s->record.kernel_frames) * sizeof(u64);
	if (size > sizeof(*s))
		return 0;
	if (bpf_ringbuf_output(&records, s, size, wakeup()))
		return 0;
	*known = id ^ generation;
	return id;
}

#endif
