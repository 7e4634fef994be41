/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Recognises the user part of a stack without unwinding it, as walk.h does for the kernel part. */
#ifndef PLUMB_RECALL_H
#define PLUMB_RECALL_H

#include "unwind.h"

/*
 * Stacks that were unwound before: from which registers, and where their return addresses lay. If
 * the same registers come with the same addresses in the same places, unwinding would take the same
 * path and is skipped. Programs allocate, lock and read in few places, so it nearly always is. One
 * table per CPU.
 */
#define RECALLED_STACKS 512

struct recalled_stack {
	u64 key;
	u64 addresses; /* a hash of the return addresses */
	u64 id; /* of the user part */
	u32 count;
	u32 words; /* words from sp that hold them all */
	u16 places[MAX_PLACES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECALLED_STACKS);
	__type(key, u32);
	__type(value, struct recalled_stack);
} recalled_stacks SEC(".maps");

/* The process and the registers with which unwinding starts, except those that only leaves use. */
static __always_inline u64 recall_key(struct scratch *s, struct user_registers *user)
{
	return mix(mix(mix(mix(s->record.process, user->pc), user->sp), user->fp), user->bx) | 1;
}

/* The id of the user part of a known stack with this key; 0 if there is none. */
__noinline u64 recall_user(u32 slot, u64 key, u64 sp)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = key >> 1 & (RECALLED_STACKS - 1);
	struct recalled_stack *known = bpf_map_lookup_elem(&recalled_stacks, &at);
	u64 addresses = 0, size;

	if (!s || !known || known->key != key)
		return 0;
	size = known->words;
	barrier_var(size);
	if (size > MAX_PLACED_WORDS)
		return 0;
	if (bpf_probe_read_user(s->placed, size * sizeof(u64), (void *)sp))
		return 0;
	for (u32 i = 0; i < MAX_PLACES; i++) {
		u64 place = known->places[i];

		if (i >= known->count)
			break;
		barrier_var(place);
		addresses = mix(addresses, s->placed[place & (MAX_PLACED_WORDS - 1)]);
	}
	return addresses == known->addresses ? known->id : 0;
}

/* Remembers where the return addresses of the stack lie that was just unwound, if it is whole. */
__noinline int remember_user(u32 slot, u64 key)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = key >> 1 & (RECALLED_STACKS - 1);
	struct recalled_stack *known = bpf_map_lookup_elem(&recalled_stacks, &at);
	u64 addresses = 0, last = 0, count;

	if (!s || !known)
		return 0;
	known->key = 0;
	count = (u64)s->record.user_frames - 1;
	barrier_var(count);
	if (s->record.end != END_WHOLE || !s->has_places || count > MAX_PLACES)
		return 0;
	for (u64 i = 0; i < MAX_PLACES; i++) {
		u64 place;

		if (i >= count)
			break;
		place = s->places[i];
		if (place >= MAX_PLACED_WORDS)
			return 0;
		known->places[i] = place;
		last = place > last ? place : last;
		addresses = mix(addresses, s->frames[i + 1]);
	}
	known->addresses = addresses;
	known->count = count;
	known->words = last + 1;
	known->id = s->record.id;
	known->key = key;
	return 0;
}

#endif
