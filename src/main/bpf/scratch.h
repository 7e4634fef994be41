/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The scratch buffers in which stacks are put together, and the table of stacks already sent. */
#ifndef PLUMB_SCRATCH_H
#define PLUMB_SCRATCH_H

#include "process.h"

/*
 * Programs that can interrupt one another on a CPU have buffers of their own: a timer may fire
 * while a switch is being recorded. Programs that may be preempted, such as uprobes, claim one of
 * several buffers (claim_scratch).
 */
enum scratch_slot {
	SCRATCH_TIMER,
	SCRATCH_SWITCH,
	SCRATCH_WAKE,
	SCRATCH_RUN, /* switches, in runq */
	SCRATCH_IRQ, /* events that may come in an interrupt */
	SCRATCH_FORK,
	SCRATCH_TASK,
	SCRATCH_SLOTS = SCRATCH_TASK + 4,
};

/* The registers from which a user stack is unwound. On arm64 these are pc, sp and fp only. */
struct user_registers {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 bx; /* a few functions find their CFA by it */
	u32 narrow; /* 32-bit code */
	u32 at_entry; /* pc is a function's first instruction; on x86 the return address is at sp */
	/* The rest are the leaf's only. */
	u64 di; /* vfork keeps its return address in it */
	u64 ax; /* 0 in a process or thread that clone has just made */
	u64 cx, si, r10, r11; /* some code finds its CFA by one of these, or by ax; 0 if unknown */
};

#define USER32_CS 0x23 /* the kernel's __USER32_CS */

#define MAX_WORDS 256

/* Limits of recall.h: return addresses per stack, and words of user stack that hold them. */
#define MAX_PLACES 64
#define MAX_PLACED_WORDS 1024
#define WINDOW_WORDS 32

/* Where in the tables the regions of a process are. */
struct region_list {
	u32 chunk;
	u32 first;
	u32 count;
	u32 pad;
};

/* A stretch of a process's code, and where in the tables its unwind table is. */
struct region {
	u64 start;
	u64 end;
	u64 bias; /* the address at which the table's offsets begin */
	u32 index_chunk;
	u32 index;
	u32 rules_chunk;
	u32 rules;
};

/* One program's working memory. A stack_record and its addresses come first, as they are sent. */
struct scratch {
	struct stack_record record;
	u64 frames[MAX_USER_FRAMES + MAX_KERNEL_FRAMES];
	u64 words[MAX_WORDS]; /* walk.h: the kernel stack, from ctx to its top */
	struct user_registers user; /* of the current frame */
	u64 window_start; /* user address of the window below; 0 if it holds nothing */
	u64 window[WINDOW_WORDS];
	u32 by_tables; /* else by frame pointers alone */
	u32 before; /* 1 if pc is a return address, whose call lies before it; 0 if pc is exact */
	u64 trampoline; /* to which calls with a uretprobe return; 0 if there are none */
	u64 instance; /* the innermost such call that unwinding has not reached yet */
	u64 bx_at; /* where the current frame's bx is saved; 0: it is in user, LOST: unknown */
	struct region_list regions; /* of the process */
	struct region region; /* in which the last pc lay */
	u64 copy_id; /* copy.h: of the last copy that was sent */
	u64 copies_until; /* copy.h: the time up to which earlier copies have used up the rate */
	u64 waking_since; /* start of the interval in which waking_copies counts */
	u32 waking_copies;
	u32 word_count;
	u32 claimed;
	u64 first_sp; /* with which unwinding began */
	u16 places[MAX_PLACES]; /* recall.h: of the return addresses, in words from first_sp */
	u32 has_places;
	u32 pad;
	u64 placed[MAX_PLACED_WORDS]; /* the user stack from first_sp */
	u32 frame; /* remember_walk's: in memory, where the verifier does not track the value */
	u32 found;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * The ids of stacks that were sent. Direct-mapped: a slot remembers the latest. Two stacks that
 * share a slot are sent again whenever they alternate; that costs time but loses nothing, and needs
 * no lock.
 */
#define SENT_SLOTS (1 << 17)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SENT_SLOTS);
	__type(key, u32);
	__type(value, u64);
} sent SEC(".maps");

/* User space changes it when it has forgotten stacks, so that each is sent again when next seen. */
volatile u64 generation = 0;

static __always_inline bool was_sent(u64 id)
{
	u32 slot = id & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);

	return known && *known == (id ^ generation);
}

/* Sends the stack in the scratch buffer unless it was sent before. Returns its id, 0 if lost. */
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
