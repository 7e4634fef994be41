/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* For readahead.bpf.c: the kernel's types, and the pages that were read ahead and not used yet. */
#ifndef PLUMB_AHEAD_H
#define PLUMB_AHEAD_H

#include "pagecache.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct file_ra_state {
	unsigned int size;
};

struct readahead_control {
	struct address_space *mapping;
	unsigned long _index;
};

#pragma clang attribute pop

/* Which read caused a page to be read ahead that nobody has used yet. */
struct ahead {
	u64 stack;
	u32 tid;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 262144); /* 1 GB of pages */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct page_key);
	__type(value, struct ahead);
} pages_ahead SEC(".maps");

/*
 * How many such pages there are, by the low bits of the file's id. Where there are none, a read
 * need not look up its pages.
 */
#define FILE_SLOTS 65536

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FILE_SLOTS);
	__type(key, u32);
	__type(value, u64);
} files_ahead SEC(".maps");

static __always_inline u64 *waiting_of(u64 file)
{
	u32 slot = file & (FILE_SLOTS - 1);

	return bpf_map_lookup_elem(&files_ahead, &slot);
}

/* Remembers a page until it is used. */
static __always_inline void await_use(struct page_key *key, struct ahead *page)
{
	u64 *waiting = waiting_of(key->file);
	long failed = bpf_map_update_elem(&pages_ahead, key, page, BPF_NOEXIST);

	if (failed == -EEXIST)
		bpf_map_update_elem(&pages_ahead, key, page, BPF_ANY); /* the old one left unseen */
	else if (failed)
		count(COUNT_LOST_PAGES);
	else if (waiting)
		__sync_fetch_and_add(waiting, 1);
}

/* The state of settle()'s loop. */
struct fate {
	struct page_key next;
	u64 used;
};

/* Counts one page as used or unused, if it was read ahead. A callback of bpf_loop. */
static long meet_fate(u32 i, struct fate *fate)
{
	struct ahead *page = bpf_map_lookup_elem(&pages_ahead, &fate->next);
	struct sum_key key = { .detail = fate->next.file, .kind = RECORD_READAHEAD };

	if (page) {
		key.stack = page->stack;
		key.tid = page->tid;
		if (!bpf_map_delete_elem(&pages_ahead, &fate->next)) {
			u64 *waiting = waiting_of(fate->next.file);

			add_sum(&key, fate->used, !fate->used, 0);
			if (waiting)
				__sync_fetch_and_add(waiting, -1);
		}
	}
	fate->next.index++;
	return 0;
}

/* Counts the pages of a range that were read ahead: as used, or as never to be used. */
static __always_inline void settle(u64 file, u64 first, u64 end, bool used)
{
	struct fate fate = { { file, first }, used };
	u64 count = end > first ? end - first : 0, *waiting = waiting_of(file);

	if (count && waiting && *waiting)
		bpf_loop(count < MOST_PAGES ? count : MOST_PAGES, meet_fate, &fate, 0);
}

#endif
