/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * By how much the resident memory of processes grows (rss_stat). The kernel counts in per-CPU parts
 * and reports when it adds them up. So growth comes in steps of 32 pages and more, and each step
 * goes to the stack that completed it.
 */
#ifndef PLUMB_RESIDENT_H
#define PLUMB_RESIDENT_H

#include "sums.h"

#define SIZES 4 /* MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES */
#define SWAPPED 2
#define PAGE_SHIFT 12

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct percpu_counter {
	s64 count;
};

/* Since 6.2 (f1a7941243c1, "mm: convert mm's rss stats into percpu_counter"). */
struct mm_struct___sizes {
	struct percpu_counter rss_stat[SIZES];
};

#pragma clang attribute pop

/* The sizes of an address space, in pages, at the last report; negative if unknown. */
struct sizes {
	s64 of[SIZES];
};

/* By the address of the mm_struct. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct sizes);
} address_spaces SEC(".maps");

/* Before 6.2, rss_stat reports every 128 pages, with the new size as an argument. */
static __always_inline bool told_size(void)
{
	return !bpf_core_field_exists(struct mm_struct___sizes, rss_stat);
}

static __always_inline s64 size_of(u64 mm, u32 member)
{
	s64 pages = 0;

	bpf_probe_read_kernel(&pages, sizeof(pages),
			      (void *)mm + bpf_core_field_offset(struct mm_struct___sizes, rss_stat) +
				      member * bpf_core_type_size(struct percpu_counter) +
				      bpf_core_field_offset(struct percpu_counter, count));
	return pages;
}

/*
 * The growth since the last report, in bytes; 0 if there is none to count. Puts stack and thread
 * into the key.
 */
static __always_inline u64 grown_bytes(u64 *ctx, struct sum_key *key)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 mm = ctx[0], id = bpf_get_current_pid_tgid();
	u32 member = ctx[1];
	struct user_registers user = {};
	struct sizes *known, first = {};
	s64 pages, grown;

	if (member >= SIZES || member == SWAPPED)
		return 0;
	barrier_var(member);
	member &= SIZES - 1; /* the verifier loses track of the bound above */
	known = bpf_map_lookup_elem(&address_spaces, &mm);
	if (!known) {
		if ((u64)BPF_CORE_READ(task, mm) != mm || !watched(task, id >> 32, id))
			return 0;
		for (u32 i = 0; i < SIZES; i++)
			first.of[i] = told_size() ? -1 : size_of(mm, i);
		if (told_size())
			first.of[member] = ARGUMENT(ctx, 2);
		bpf_map_update_elem(&address_spaces, &mm, &first, BPF_ANY);
		return 0;
	}
	pages = told_size() ? (s64)ARGUMENT(ctx, 2) : size_of(mm, member);
	grown = known->of[member] < 0 ? 0 : pages - known->of[member];
	if (pages == known->of[member])
		return 0;
	known->of[member] = pages > 0 ? pages : 0;
	if (grown <= 0 || (u64)BPF_CORE_READ(task, mm) != mm || !watched(task, id >> 32, id))
		return 0;
	current_registers(task, &user);
	key->tid = id;
	key->stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_AT_CTX);
	if (!key->stack) {
		count(COUNT_DUE); /* for the loss just counted; otherwise growth is no event */
		return 0;
	}
	return (u64)grown << PAGE_SHIFT;
}

#endif
