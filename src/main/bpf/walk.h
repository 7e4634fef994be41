/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Recognises a kernel stack without walking it. */
#ifndef PLUMB_WALK_H
#define PLUMB_WALK_H

#include "scratch.h"

/*
 * Stacks that were walked, and where on the kernel stack their return addresses lay. A walk costs
 * some microseconds, and threads that switch often do so in few places. If the same addresses lie
 * in the same places again, the walk would take the same path and is skipped. One table per CPU, so
 * that CPUs do not write to the same entry.
 */
#define WALKED_STACKS 1024
#define MAX_WALKED_FRAMES 32
#define MAX_FROM_TOP 32 /* words: the registers of user code, and some padding */

struct walked_stack {
	u64 key; /* a hash of the user part and of the kind of event */
	u64 addresses; /* a hash of the return addresses */
	u64 outermost; /* the return address into the kernel's entry code */
	u64 stack; /* the id of the whole stack */
	u32 outermost_place; /* in words below the top of the stack */
	u32 count;
	u8 places[MAX_WALKED_FRAMES]; /* in words above ctx */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALKED_STACKS);
	__type(key, u32);
	__type(value, struct walked_stack);
} walked_stacks SEC(".maps");

/*
 * Copies the kernel stack from ctx to its top. ctx lies on that stack, just below the frames of
 * interest, as the arguments of a tracepoint do.
 */
static __always_inline void copy_words(void *ctx, struct scratch *s, struct task_struct *task)
{
	u64 bottom = (u64)BPF_CORE_READ(task, stack), sp, size;

	s->word_count = 0;
	s->words[0] = (u64)ctx; /* read back, it is a scalar, on which arithmetic is allowed */
	barrier_var(s);
	sp = *(volatile u64 *)&s->words[0];
	if (sp < bottom || sp >= bottom + KERNEL_STACK_SIZE)
		return; /* an interrupt's own stack */
	size = bottom + KERNEL_STACK_SIZE - sp;
	barrier_var(size);
	if (size > sizeof(s->words))
		return; /* too deep to be recognised */
	/* Before the call: 5.10 loses the bound of size when clang spills it across the call. */
	s->word_count = size / sizeof(u64);
	if (bpf_probe_read_kernel(s->words, size, (void *)sp))
		s->word_count = 0;
}

/* The word at so many places below the top of the stack; 0 if it was not copied. */
static __always_inline u64 word_from_top(struct scratch *s, u32 place)
{
	u64 at = (u64)s->word_count - place;

	barrier_var(at);
	return at < MAX_WORDS ? s->words[at] : 0;
}

/* The id of a known stack whose return addresses lie in the same places of the copy; 0 if none. */
__noinline u64 recall_walk(u32 slot, u64 key)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = key & (WALKED_STACKS - 1);
	struct walked_stack *walked = bpf_map_lookup_elem(&walked_stacks, &at);
	u64 addresses = 0;

	if (!s || !walked || walked->key != key ||
	    word_from_top(s, walked->outermost_place) != walked->outermost)
		return 0;
	for (u32 i = 0; i < MAX_WALKED_FRAMES; i++) {
		u32 place = walked->places[i];

		if (i >= walked->count)
			break;
		if (place >= s->word_count)
			return 0;
		addresses = mix(addresses, s->words[place]);
	}
	return addresses == walked->addresses && was_sent(walked->stack) ? walked->stack : 0;
}

/*
 * Remembers where the addresses of the walk in the scratch buffer lie.
 *
 * The first up to three frames are those of our own program, below what was copied: they are
 * skipped. The outermost address, in the kernel's entry code, lies just below the registers of user
 * code. The next one follows from its neighbours and is left out, because the kernel shifts its
 * stack by a random offset at each system call and leaves copies of that address behind. If any
 * other address lies in two places before the next one, it is unclear which the walk took: both are
 * remembered and must hold it again. The arguments of a tracepoint may contain such a copy.
 */
__noinline int remember_walk(u32 slot, u64 key, u64 stack)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = key & (WALKED_STACKS - 1);
	struct walked_stack *walked = bpf_map_lookup_elem(&walked_stacks, &at);
	u64 addresses = 0, previous = 0, end, last, outermost;
	u32 place;

	if (!s || !walked)
		return 0;
	walked->key = 0;
	s->frame = s->record.user_frames;
	s->found = 0;
	end = (u64)s->record.user_frames + s->record.kernel_frames;
	last = end - 1;
	barrier_var(last); /* else clang checks a copy in another register; 5.10 misses that */
	if (last >= MAX_USER_FRAMES + MAX_KERNEL_FRAMES)
		return 0;
	outermost = s->frames[last];
	for (place = 1; place < MAX_FROM_TOP; place++)
		if (word_from_top(s, place) == outermost)
			break;
	if (place == MAX_FROM_TOP)
		return 0;
	for (u32 i = 0; i < MAX_WORDS; i++) {
		volatile struct scratch *v = s;
		u64 word = s->words[i], frame = v->frame, found = v->found;
		u64 *next;

		if (i >= s->word_count || frame + 2 >= end)
			break;
		if (frame > MAX_USER_FRAMES + MAX_KERNEL_FRAMES - 4 || found >= MAX_WALKED_FRAMES)
			return 0;
		next = &s->frames[frame];
		if (word == next[0])
			v->frame = frame + 1;
		else if (!found && word == next[1])
			v->frame = frame + 2;
		else if (!found && word == next[2])
			v->frame = frame + 3;
		else if (!found && word == next[3])
			v->frame = frame + 4;
		else if (!found || word != previous)
			continue;
		walked->places[found] = i;
		v->found = found + 1;
		addresses = mix(addresses, word);
		previous = word;
	}
	if (!s->found || s->frame + 2 < end)
		return 0;
	walked->addresses = addresses;
	walked->stack = stack;
	walked->outermost = outermost;
	walked->outermost_place = place;
	walked->count = s->found;
	walked->key = key;
	return 0;
}

#endif
