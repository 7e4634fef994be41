/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * By how much the resident memory of processes grows (rss_stat). The kernel keeps parts of it for each
 * CPU and tells when they are added up, so that it grows by steps of 32 pages and more, each of which
 * falls to the stack that made it full.
 */
#ifndef PLUMB_RESIDENT_H
#define PLUMB_RESIDENT_H

#include "sums.h"

#define SIZES 4 /* of files, anonymous, in swap, shared: MM_FILEPAGES and so on */
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

/* How large an address space was when it was last told of, in pages. */
struct sizes {
	s64 of[SIZES];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct sizes);
} address_spaces SEC(".maps");

/* Before 6.2 rss_stat has the new size as an argument, every 128 pages. */
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

/* How much more there is since the last time, with its stack and thread in the key; 0 for nothing. */
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
	member &= SIZES - 1; /* the verifier forgets the bound */
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
		count(COUNT_DUE); /* counted as lost, else as nothing: it adds to other events */
		return 0;
	}
	return (u64)grown << PAGE_SHIFT;
}

#endif
