/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Of readahead: the kernel's types that it reads, and the pages that wait to be used. */
#ifndef PLUMB_AHEAD_H
#define PLUMB_AHEAD_H

#include "file.h"
#include "sums.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct inode___aliases {
	struct hlist_head i_dentry;
	s64 i_size;
};

struct dentry___alias {
	struct inode *d_inode;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct address_space {
	struct inode *host;
};

struct file___position {
	struct address_space *f_mapping;
	s64 f_pos;
};

#if defined(__TARGET_ARCH_arm64)
struct pt_regs___call {
	u64 orig_x0;
	int syscallno;
};
#endif

struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned long _flags_1;
};

/* Before 6.6 (ebc1baf5c9b4, "mm: free up a word in the first tail page"). */
struct folio___order {
	unsigned char _folio_order;
};

enum pageflags {
	PG_head = 6,
};

struct file_ra_state {
	unsigned int size;
};

struct readahead_control {
	struct address_space *mapping;
	unsigned long _index;
};

struct vm_area_struct {
	struct file___position *vm_file; /* a struct file */
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};

#pragma clang attribute pop

#define PAGE_SHIFT 12
#define EEXIST 17

/* A page that was read ahead and that nobody has used yet. */
struct page_key {
	u64 file;
	u64 index;
};

struct ahead {
	u64 stack;
	u32 tid;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 262144); /* 1 GB */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct page_key);
	__type(value, struct ahead);
} pages_ahead SEC(".maps");

/* How many of these the files have whose ids end alike. Reads of all others have little to do. */
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

/* Puts a page among those that wait to be used. */
static __always_inline void await_use(struct page_key *key, struct ahead *page)
{
	u64 *waiting = waiting_of(key->file);
	long failed = bpf_map_update_elem(&pages_ahead, key, page, BPF_NOEXIST);

	if (failed == -EEXIST)
		bpf_map_update_elem(&pages_ahead, key, page, BPF_ANY); /* its end was not seen */
	else if (failed)
		count(COUNT_LOST_PAGES);
	else if (waiting)
		__sync_fetch_and_add(waiting, 1);
}

/* Pages of a file whose fate is known now. */
struct fate {
	struct page_key next;
	u64 used;
};

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

#define MOST_PAGES 16384

/* All pages of a stretch that wait to be used are used, or will never be. */
static __always_inline void settle(u64 file, u64 first, u64 end, bool used)
{
	struct fate fate = { { file, first }, used };
	u64 count = end > first ? end - first : 0, *waiting = waiting_of(file);

	if (count && waiting && *waiting)
		bpf_loop(count < MOST_PAGES ? count : MOST_PAGES, meet_fate, &fate, 0);
}

static __always_inline u32 pages_of(u64 folio)
{
	u64 flags = 0;
	u32 order;

	bpf_probe_read_kernel(&flags, sizeof(flags), (void *)folio); /* it begins with them */
	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(struct folio___order, _folio_order))
		order = BPF_CORE_READ((struct folio___order *)folio, _folio_order);
	else
		order = BPF_CORE_READ((struct folio *)folio, _flags_1) & 0xff;
	return order < 14 ? 1U << order : 1;
}

#endif
