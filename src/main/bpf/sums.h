/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sums per stack, for events that are too many to send one by one. Two maps take turns: programs
 * add to one while user space drains the other (dev.plumb.collect.kernel.KernelSums).
 */
#ifndef PLUMB_SUMS_H
#define PLUMB_SUMS_H

#include "stack.h"

struct sum_key {
	u64 stack;
	u64 detail; /* whatever else the mode distinguishes */
	u32 tid;
	u32 kind; /* the mode's record_kind */
};

struct sum {
	u64 count;
	u64 value;
	u64 extra;
};

struct sum_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(key_size, sizeof(struct sum_key));
	__uint(value_size, sizeof(struct sum));
};

/* One slot, which holds the map to add to; user space swaps the two maps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct sum_map);
} sums SEC(".maps");

/* clang turns an atomic add of a constant 0 into an instruction that kernels before 5.12 lack. */
static __always_inline void add_to(u64 *sum, u64 n)
{
	if (n)
		__sync_fetch_and_add(sum, n);
}

/* Adds n events to a sum. The mode decides what n, value and extra mean. */
static __always_inline void add_sum(struct sum_key *key, u64 n, u64 value, u64 extra)
{
	struct sum first = { n, value, extra }, *known;
	u32 zero = 0;
	void *map = bpf_map_lookup_elem(&sums, &zero);

	if (!map)
		return;
	known = bpf_map_lookup_elem(map, key);
	if (!known) {
		if (!bpf_map_update_elem(map, key, &first, BPF_NOEXIST))
			return;
		known = bpf_map_lookup_elem(map, key); /* another CPU was faster, or it is full */
		if (!known) {
			if (!n)
				count(COUNT_DUE); /* without an event, nobody else counts it */
			count_many(COUNT_LOST_SUMS, n ?: 1);
			return;
		}
	}
	add_to(&known->count, n);
	add_to(&known->value, value);
	add_to(&known->extra, extra);
}

/* The histogram bucket of a duration: the number of significant bits in its microseconds. */
static __always_inline u32 bucket(u64 nanos)
{
	u64 micros = nanos / 1000;
	u32 bits = 0;

	for (u32 shift = 32; shift; shift >>= 1) {
		if (micros >> shift) {
			micros >>= shift;
			bits += shift;
		}
	}
	return micros ? bits + 1 : 0;
}

#endif
