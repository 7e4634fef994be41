/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Knows the user part of a stack again without unwinding it, as walk.h does for the kernel's. */
#ifndef PLUMB_RECALL_H
#define PLUMB_RECALL_H

#include "unwind.h"

/*
 * Stacks that were unwound from the same registers before, and where their return addresses lay: if the
 * same addresses lie there again, unwinding would take the same way. Programs allocate, lock and read in
 * few places, so this is what happens nearly always. One table a CPU.
 */
#define RECALLED_STACKS 512

struct recalled_stack {
	u64 key;
	u64 addresses; /* a hash of the return addresses */
	u64 id; /* of the user part */
	u32 count;
	u32 words; /* from sp on, that hold them */
	u16 places[MAX_PLACES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECALLED_STACKS);
	__type(key, u32);
	__type(value, struct recalled_stack);
} recalled_stacks SEC(".maps");

/* What unwinding depends on besides what lies on the stack. */
static __always_inline u64 recall_key(struct scratch *s, struct user_registers *user)
{
	return mix(mix(mix(mix(s->record.process, user->pc), user->sp), user->fp), user->bx) | 1;
}

/* The id of the user part of a stack that begins with the registers that the key is of; 0: unknown. */
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

/* Notes where the return addresses of the stack lie that was just unwound. */
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
