/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fresh pages: those that were brought into the page cache and that nobody has looked for yet. And
 * which pages are cached: tracepoints report only what is asked for, so this looks in the xarray.
 */
#ifndef PLUMB_FRESH_H
#define PLUMB_FRESH_H

#include "pagecache.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 262144); /* 1 GB of pages */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct page_key);
	__type(value, u32);
} fresh_pages SEC(".maps");

/*
 * How many fresh pages there are, by the low bits of the file's id. Where there are none, lookups
 * of single pages can be skipped.
 */
#define FILE_SLOTS 65536

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FILE_SLOTS);
	__type(key, u32);
	__type(value, u64);
} fresh_files SEC(".maps");

#define MOST_AT_ONCE 512 /* pages that one event looks at */

static __always_inline u64 *fresh_of(u64 file)
{
	u32 slot = file & (FILE_SLOTS - 1);

	return bpf_map_lookup_elem(&fresh_files, &slot);
}

static __always_inline bool any_fresh(u64 file)
{
	u64 *fresh = fresh_of(file);

	return fresh && *fresh;
}

__noinline int make_fresh(u64 file, u64 index)
{
	struct page_key key = { file, index };
	u64 *fresh = fresh_of(file);
	u32 one = 1;
	long failed = bpf_map_update_elem(&fresh_pages, &key, &one, BPF_NOEXIST);

	if (!failed && fresh)
		__sync_fetch_and_add(fresh, 1);
	else if (failed != -EEXIST)
		count(COUNT_LOST_PAGES);
	return 0;
}

/* Ends the freshness of a page. Returns whether it was fresh. */
__noinline int end_freshness(u64 file, u64 index)
{
	struct page_key key = { file, index };
	u64 *fresh = fresh_of(file);

	if (!fresh || !*fresh || bpf_map_delete_elem(&fresh_pages, &key))
		return 0;
	__sync_fetch_and_add(fresh, -1);
	return 1;
}

/* Entries of an xarray (include/linux/xarray.h); a node has 64 of them. */
#define IS_VALUE(entry) ((entry) & 1)
#define IS_INTERNAL(entry) (((entry) & 3) == 2)
#define IS_NODE(entry) (IS_INTERNAL(entry) && (entry) > 4096)
#define IS_SIBLING(entry) (IS_INTERNAL(entry) && (entry) < 64 << 2)
#define MOST_LEVELS 11

static __always_inline u64 entry_of(u64 node, u64 slot)
{
	u64 entry = 0;

	bpf_probe_read_kernel(&entry, sizeof(entry),
			      (void *)node + bpf_core_field_offset(struct xa_node, slots) + slot * 8);
	return entry;
}

/*
 * The page at an index of an xarray, 0 if there is none. Takes the array's head, because the
 * verifier may know the mapping as a typed pointer, and a global function takes scalars only.
 */
__noinline u64 page_below(u64 head, u64 index)
{
	u64 entry = head, node, slot;
	u32 shift;

	if (!IS_NODE(entry) && index)
		return 0;
	for (int level = 0; level < MOST_LEVELS; level++) {
		if (!IS_NODE(entry))
			break;
		node = entry - 2;
		shift = BPF_CORE_READ((struct xa_node *)node, shift);
		slot = index >> (shift & 63);
		if (!level && slot > 63)
			return 0;
		entry = entry_of(node, slot & 63);
		if (IS_SIBLING(entry))
			entry = entry_of(node, entry >> 2 & 63);
	}
	return IS_VALUE(entry) || IS_INTERNAL(entry) ? 0 : entry;
}

/* A global function, as all that loop over pages: the verifier follows each only once. */
__noinline int make_all_fresh(u64 file, u64 first, u64 end)
{
	for (u32 i = 0; i < MOST_AT_ONCE; i++) {
		if (first + i >= end)
			break;
		make_fresh(file, first + i);
	}
	return 0;
}

/* Ends the freshness of a range of pages. Returns how many were fresh. */
__noinline int end_freshness_of(u64 file, u64 first, u64 end)
{
	int found = 0;

	for (u32 i = 0; i < MOST_AT_ONCE; i++) {
		if (first + i >= end)
			break;
		found += end_freshness(file, first + i);
	}
	return found;
}

static __always_inline u64 fresh_among(u64 file, u64 first, u64 end)
{
	return any_fresh(file) ? end_freshness_of(file, first, end) : 0;
}

/* How many pages of a range are cached before the first that is not. */
__noinline int cached_in_a_row(u64 head, u64 first, u64 end)
{
	u32 i;

	for (i = 0; i < MOST_AT_ONCE; i++) {
		if (first + i >= end || !page_below(head, first + i))
			break;
	}
	return i;
}

/* Whether filemap_map_pages would map a page now. */
__noinline int is_ready(u64 head, u64 index)
{
	u64 page = page_below(head, index), flags = 0;

	if (!page || bpf_probe_read_kernel(&flags, sizeof(flags), (void *)page))
		return 0;
	return flags >> bpf_core_enum_value(enum pageflags, PG_uptodate) & 1 &&
	       !(flags >> bpf_core_enum_value(enum pageflags, PG_locked) & 1) &&
	       !(flags >> bpf_core_enum_value(enum pageflags, PG_reclaim) & 1);
}

#define WINDOW 64

/* A bitmap of the ready pages among the WINDOW pages from first, up to end. */
__noinline u64 ready_window(u64 head, u64 first, u64 end)
{
	u64 ready = 0;

	for (u32 i = 0; i < WINDOW; i++) {
		if (first + i >= end)
			break;
		ready |= (u64)is_ready(head, first + i) << i;
	}
	return ready;
}

__noinline int end_freshness_if(u64 wanted, u64 file, u64 index)
{
	return wanted & 1 ? end_freshness(file, index) : 0;
}

/* Ends the freshness of the pages in such a bitmap. Returns how many were fresh. */
__noinline int fresh_in_window(u64 file, u64 first, u64 window)
{
	int found = 0;

	for (u32 i = 0; i < WINDOW; i++)
		found += end_freshness_if(window >> i, file, first + i);
	return found;
}

/* How many bits of a word are set. */
static __always_inline u64 bits_of(u64 word)
{
	word -= word >> 1 & 0x5555555555555555ULL;
	word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return word * 0x0101010101010101ULL >> 56;
}

static __always_inline u64 head_of(u64 mapping)
{
	return (u64)BPF_CORE_READ((struct address_space *)mapping, i_pages.xa_head);
}

/* The first page at or after first that is not cached; end if all are. size is that of the file. */
static __always_inline u64 first_hole(u64 mapping, u64 size, u64 first, u64 end)
{
	if (BPF_CORE_READ((struct address_space *)mapping, nrpages) >= size)
		return end;
	return first + (u32)cached_in_a_row(head_of(mapping), first, end);
}

#endif
