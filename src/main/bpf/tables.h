/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Unwind tables: user space writes them (dev.plumb.collect.tables.KernelTable, RegionLists), programs look
 * up addresses of user code in them.
 *
 * They lie in chunks, arrays of 32-bit cells that user space adds and removes as needed:
 *
 *   process   → a list of regions, sorted by address
 *   region    → an index of pages, and a list of rules
 *   page      → rows, sorted: 14 bits for the offset in the page, 18 bits for the rule's number
 *   rule      → how to find the caller
 */
#ifndef PLUMB_TABLES_H
#define PLUMB_TABLES_H

#include "scratch.h"

#define CELLS (1 << 14) /* per chunk: 64 KB */
#define MAX_CHUNKS 4096
#define PAGE_BITS 14 /* pages of code have 16 KB */
#define PAGE_STEPS 15 /* of a binary search: a page has at most 2^14 rows */
#define REGION_CELLS 10
#define REGION_STEPS 11 /* a process has at most CELLS / REGION_CELLS regions */
#define MAX_PROCESSES 16384
#define NOT_LOADED ~0U /* as index_chunk: there is a table, but it is not loaded yet */

struct chunk {
	u32 cells[CELLS];
};

/* The type of all maps in chunks: one chunk each, which user space maps into its memory. */
struct chunk_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct chunk));
};

/* There is no chunk 0: a region with it as index_chunk has no table, and never will. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_CHUNKS);
	__type(key, u32);
	__array(values, struct chunk_map);
} chunks SEC(".maps");

/* By process_of(), so that an exec invalidates the old list at once. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_PROCESSES);
	__type(key, u64);
	__type(value, struct region_list);
} region_lists SEC(".maps");

/* dev.plumb.unwind.rule.UnwindRule has the same numbers and the same layout. */
struct unwind_rule {
	int cfa_offset;
	short rbp_offset;
	u8 cfa;
	u8 rbp; /* bits 0-1: RBP_*; bits 2-7, n: rbx is at CFA - 8 * n, 0 unchanged, 63 lost */
};

/* How to find the CFA, with the return address at CFA - 8, or else where execution goes on. */
enum {
	CFA_NONE, /* nothing describes this code */
	CFA_RSP, /* rsp + offset */
	CFA_RBP, /* rbp + offset */
	CFA_AT_RBP, /* the word at rbp + offset */
	CFA_PLT, /* a PLT stub: rsp + 8 or + 16, depending on pc */
	CFA_SIGNAL, /* the return of a signal handler: registers are in the frame at rsp */
	CFA_END, /* the outermost function */
	CFA_UNSUPPORTED,
	CFA_LANDING_IN_RCX, /* goes on at rcx, with the same rsp */
	CFA_OTHER_STACK, /* rbp + offset, on any stack */
	CFA_ABOVE_WORD_AT_RSP, /* 8 above the address at rsp + offset */
	CFA_RETURN_IN_RDI, /* vfork: returns to rdi */
	CFA_LANDING_IN_CONTEXT, /* goes on as libgcc's context at rbp + offset says */
	CFA_LANDING_AT_RCX, /* goes on where the word at rcx says, with rsp = rcx + 8 */
	CFA_CLONED, /* after clone: rsp + offset in the parent, none in the child */
	CFA_REGISTER = 16, /* plus a register's DWARF number: that register + offset */
	CFA_RAX = CFA_REGISTER,
	CFA_RCX = CFA_REGISTER + 2,
	CFA_RBX = CFA_REGISTER + 3,
	CFA_RSI = CFA_REGISTER + 4,
	CFA_R10 = CFA_REGISTER + 10,
	CFA_R11 = CFA_REGISTER + 11,
};

/* Where the caller's rbp is; the offsets are rbp_offset. */
enum {
	RBP_SAME,
	RBP_AT_CFA,
	RBP_AT_RBP,
	RBP_UNDEFINED,
};

#define RBX_LOST 63

static __always_inline struct chunk *chunk_at(u32 number)
{
	u32 zero = 0;
	void *chunk = bpf_map_lookup_elem(&chunks, &number);

	return chunk ? bpf_map_lookup_elem(chunk, &zero) : NULL;
}

/* Reads a cell. The barrier preserves the second mask, without which the verifier sees no bound. */
static __always_inline u32 cell(struct chunk *chunk, u64 at)
{
	at &= CELLS - 1;
	barrier_var(at);
	return chunk->cells[at & (CELLS - 1)];
}

/* Reads two cells as one number; at is even. */
static __always_inline u64 cell_pair(struct chunk *chunk, u64 at)
{
	at &= CELLS - 2;
	barrier_var(at);
	return *(u64 *)&chunk->cells[at & (CELLS - 2)];
}

/*
 * How many entries of a sorted run are not above the key. A binary search that does not branch on
 * what it compares, because the verifier would follow both ways of each branch. entry is an
 * expression of _middle; key and entries are below 2^63.
 */
#define COUNT_NOT_ABOVE(count, steps, key, entry)                                  \
	({                                                                         \
		u64 _low = 0, _left = (count);                                     \
		for (int _step = 0; _step < (steps); _step++) {                    \
			u64 _half, _middle;                                        \
			if (!_left)                                                \
				break;                                             \
			_half = _left >> 1;                                        \
			_middle = _low + _half;                                    \
			u64 _above = (s64)((key) - (entry)) >> 63;                 \
			u64 _take = ~_above;                                       \
			_low += (_half + 1) & _take;                               \
			_left = (_half & ~_take) | ((_left - _half - 1) & _take);  \
			barrier_var(_low);                                         \
			barrier_var(_left);                                        \
		}                                                                  \
		_low;                                                              \
	})

/* Loads the region that contains pc into the scratch buffer. Returns false if there is none. */
static __always_inline bool find_region(struct scratch *s, u64 pc)
{
	struct chunk *chunk;
	u64 found, at;

	chunk = chunk_at(s->regions.chunk);
	if (!chunk)
		return 0;
	at = s->regions.first;
	found = COUNT_NOT_ABOVE(s->regions.count, REGION_STEPS, pc,
				cell_pair(chunk, at + _middle * REGION_CELLS));
	if (!found)
		return 0;
	at += (found - 1) * REGION_CELLS;
	s->region.start = cell_pair(chunk, at);
	s->region.end = cell_pair(chunk, at + 2);
	s->region.bias = cell_pair(chunk, at + 4);
	s->region.index_chunk = cell(chunk, at + 6);
	s->region.index = cell(chunk, at + 7);
	s->region.rules_chunk = cell(chunk, at + 8);
	s->region.rules = cell(chunk, at + 9);
	return pc < s->region.end;
}

/* The packed rule for pc, which lies in the region in the scratch buffer; 0, CFA_NONE, if none. */
static __always_inline u64 find_rule(struct scratch *s, u64 pc)
{
	u64 offset, page, found, first, count;
	struct chunk *chunk;

	chunk = chunk_at(s->region.index_chunk);
	if (!chunk)
		return 0;
	offset = pc - s->region.bias;
	page = cell_pair(chunk, s->region.index + 2 * (offset >> PAGE_BITS));
	chunk = chunk_at(page);
	if (!chunk)
		return 0;
	offset &= (1 << PAGE_BITS) - 1;
	first = page >> 32 & 0xffff;
	count = page >> 48;
	found = COUNT_NOT_ABOVE(count, PAGE_STEPS, offset,
				(u64)(cell(chunk, first + _middle) & ((1 << PAGE_BITS) - 1)));
	if (!found)
		return 0;
	found = cell(chunk, first + found - 1) >> PAGE_BITS;
	chunk = chunk_at(s->region.rules_chunk);
	return chunk ? cell_pair(chunk, s->region.rules + 2 * found) : 0;
}

#endif
