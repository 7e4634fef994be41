/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Unwind tables: user space writes them, as dev.plumb.collect.TableMemory lays them out; here a place
 * in user code is looked up in them.
 *
 * All of it lies in chunks, arrays of 32-bit cells that user space adds and takes away as needed:
 *
 *   process   → a list of regions, sorted by address
 *   region    → an index of pages, and a list of rules
 *   page      → rows: 14 bits where in the page it begins, 18 bits which rule
 *   rule      → how to find the caller
 */
#ifndef PLUMB_TABLES_H
#define PLUMB_TABLES_H

#include "scratch.h"

#define CELLS (1 << 14) /* in a chunk: 64 KB */
#define MAX_CHUNKS 4096
#define PAGE_BITS 14 /* of code */
#define PAGE_STEPS 15 /* a page has at most 2^14 rows */
#define REGION_CELLS 10
#define REGION_STEPS 11 /* a process has at most CELLS / REGION_CELLS regions */
#define MAX_PROCESSES 16384
#define NOT_LOADED ~0U /* instead of an index's chunk: there is a table, but not here yet */

struct chunk {
	u32 cells[CELLS];
};

struct chunk_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct chunk));
};

/* Chunk 0 is never there: a region whose index lies in it has no table, and never will. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_CHUNKS);
	__type(key, u32);
	__array(values, struct chunk_map);
} chunks SEC(".maps");

/* By what process_of says, so that an exec makes the old ones invalid at once. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_PROCESSES);
	__type(key, u64);
	__type(value, struct region_list);
} region_lists SEC(".maps");

/* dev.plumb.unwind.UnwindRule has the same numbers and the same layout. */
struct unwind_rule {
	int cfa_offset;
	short rbp_offset;
	u8 cfa;
	u8 rbp; /* above its two bits: rbx is at CFA - 8 times that; 0: it is the same, 63: lost */
};

enum {
	CFA_NONE,
	CFA_RSP,
	CFA_RBP,
	CFA_AT_RBP,
	CFA_PLT,
	CFA_SIGNAL,
	CFA_END,
	CFA_UNSUPPORTED,
	CFA_LANDING_IN_RCX,
	CFA_OTHER_STACK,
	CFA_ABOVE_WORD_AT_RSP,
	CFA_RETURN_IN_RDI,
	CFA_LANDING_IN_CONTEXT,
	CFA_LANDING_AT_RCX,
	CFA_CLONED,
	CFA_REGISTER = 16, /* and the register's DWARF number */
	CFA_RAX = CFA_REGISTER,
	CFA_RCX = CFA_REGISTER + 2,
	CFA_RBX = CFA_REGISTER + 3,
	CFA_RSI = CFA_REGISTER + 4,
	CFA_R10 = CFA_REGISTER + 10,
	CFA_R11 = CFA_REGISTER + 11,
};

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

static __always_inline u32 cell(struct chunk *chunk, u64 at)
{
	at &= CELLS - 1;
	barrier_var(at);
	return chunk->cells[at & (CELLS - 1)];
}

static __always_inline u64 cell_pair(struct chunk *chunk, u64 at)
{
	at &= CELLS - 2;
	barrier_var(at);
	return *(u64 *)&chunk->cells[at & (CELLS - 2)];
}

/*
 * How many entries of a sorted run are not above a key. What is compared is no branch, because the
 * verifier would follow both ways of each; entry is an expression of _middle. Numbers are below 2^63.
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

/* The region that a place in user code lies in, into the scratch buffer; whether there is one. */
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

/* The rule for a place in the region that is in the scratch buffer, as its 8 bytes; 0: CFA_NONE. */
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
