/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sums by stack, for events that are too many to be sent one by one. There are two maps that take
 * turns: while one is added to, user space takes what is in the other (dev.plumb.collect.Sums).
 */
#ifndef PLUMB_SUMS_H
#define PLUMB_SUMS_H

#include "stack.h"

struct sum_key {
	u64 stack;
	u64 detail; /* what else sets sums apart: the mode's own */
	u32 tid;
	u32 kind; /* whose: a record_kind */
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

/* One slot; user space puts the maps into it in turns. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct sum_map);
} sums SEC(".maps");

/* To add nothing is another instruction, which kernels before 5.12 do not know. */
static __always_inline void add_to(u64 *sum, u64 n)
{
	if (n)
		__sync_fetch_and_add(sum, n);
}

/* Adds events; n, value and extra may be what the mode likes. */
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
				count(COUNT_DUE); /* no event by itself */
			count_many(COUNT_LOST_SUMS, n ?: 1);
			return;
		}
	}
	add_to(&known->count, n);
	add_to(&known->value, value);
	add_to(&known->extra, extra);
}

/* The bucket of a duration, for histograms: the number of bits that it has in microseconds. */
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
