/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stacks: programs gather user and kernel addresses in a scratch buffer, hash them, and send each
 * stack to user space once. From then on the hash stands for the stack.
 */
#ifndef PLUMB_STACK_H
#define PLUMB_STACK_H

#include "copy.h"
#include "recall.h"
#include "walk.h"

const volatile bool want_user = true;

/* Unwinds the user part of the stack. Returns false at code whose table is not loaded yet. */
static __always_inline bool unwind_user(u32 slot, struct scratch *s, struct user_registers *user,
					bool by_tables)
{
	u32 end;

	s->record.id = s->record.process;
	s->record.user_frames = 0;
	s->region.end = 0;
	s->user = *user;
	s->bx_at = 0;
	s->window_start = 0;
	s->before = 0;
	s->first_sp = user->sp;
	s->has_places = by_tables;
	s->by_tables = by_tables;
	end = unwind_all(slot);
	s->record.end = end;
	return end != END_UNKNOWN;
}

#define MOST_FORKS 3 /* generations that forked_from() looks back */

/*
 * The ancestor whose regions apply to a task: as long as a forked process has not exec'd, it has
 * the same code at the same addresses. Returns 0 if there is none with a list of regions. An
 * orphan gets a new parent, so the addresses are compared, too.
 */
static __noinline u64 forked_from(struct task_struct *task)
{
	struct task_struct *parent = BPF_CORE_READ(task, group_leader);
	u64 exec = BPF_CORE_READ(task, self_exec_id);
	u64 code = BPF_CORE_READ(task, mm, start_code), stack = BPF_CORE_READ(task, mm, start_stack);

	for (u32 i = 0; i < MOST_FORKS; i++) {
		u64 process;

		parent = BPF_CORE_READ(parent, real_parent, group_leader);
		if (BPF_CORE_READ(parent, self_exec_id) != exec ||
		    BPF_CORE_READ(parent, mm, start_code) != code ||
		    BPF_CORE_READ(parent, mm, start_stack) != stack)
			return 0;
		process = process_of(parent, BPF_CORE_READ(parent, tgid));
		if (bpf_map_lookup_elem(&region_lists, &process))
			return process;
	}
	return 0;
}

/* Unwinds the user part by tables. Returns false if user space has to do it. */
static __always_inline bool unwind_by_tables(u32 slot, struct scratch *s, struct task_struct *task,
					     struct user_registers *user)
{
	struct region_list *regions = bpf_map_lookup_elem(&region_lists, &s->record.process);

	if (user->narrow)
		return false;
	if (!regions) {
		u64 process = forked_from(task);

		regions = process ? bpf_map_lookup_elem(&region_lists, &process) : NULL;
	}
	if (!regions)
		return false;
	s->regions = *regions;
	return unwind_user(slot, s, user, true);
}

/* Walks the kernel stack and appends its frames to those in the scratch buffer. */
static __always_inline void add_kernel_frames(void *ctx, struct scratch *s)
{
	u32 user_frames = s->record.user_frames;
	u64 hash = s->record.id;
	long bytes;

	if (user_frames > MAX_USER_FRAMES)
		return;
	bytes = bpf_get_stack(ctx, &s->frames[user_frames], MAX_KERNEL_FRAMES * sizeof(u64), 0);
	for (u32 i = 0; i < MAX_KERNEL_FRAMES; i++) {
		if ((long)(i * sizeof(u64)) >= bytes)
			break;
		hash = mix(hash, s->frames[user_frames + i]);
	}
	s->record.kernel_frames = bytes > 0 ? bytes / sizeof(u64) : 0;
	s->record.id = hash;
}

/*
 * Recognises a stack whose user part, user_id, was recalled: if the kernel part is wanted, that
 * must be known again, too. Returns the id of the whole stack, 0 if it is not known.
 */
static __always_inline u64 recall_stack(void *ctx, u32 slot, struct scratch *s,
					struct task_struct *task, u64 user_id, u64 place,
					bool kernel)
{
	if (!user_id)
		return 0;
	if (!kernel)
		return was_sent(user_id) ? user_id : 0;
	copy_words(ctx, s, task);
	return recall_walk(slot, mix(user_id, slot + place));
}

/* What is taken of the kernel stack. */
enum kernel_part {
	KERNEL_NONE, /* nothing: for probes in user code and system calls */
	KERNEL_ANYWHERE, /* all frames, by a walk */
	KERNEL_AT_CTX, /* all; ctx is on the task's kernel stack, so walk.h may spare the walk */
};

/*
 * As find_stack. place is for events that one user stack leads to at many places in the kernel: it
 * gives each place an entry of its own in the table of walked stacks.
 */
static __always_inline u64 find_stack_at(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
					 struct user_registers *user, enum kernel_part part,
					 u64 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	bool kernel = want_kernel && part != KERNEL_NONE;
	/* Timers interrupt user code anywhere; other events recur at a few places. */
	bool repeats = part != KERNEL_ANYWHERE && want_user && user->pc;
	u64 process, key = 0, id;

	if (!s)
		return 0;
	process = process_of(task, tgid);
	s->record = (struct stack_record){
		.kind = RECORD_STACK,
		.tgid = tgid,
		.id = process,
		.process = process,
		.time = bpf_ktime_get_ns(),
		.end = END_WHOLE,
	};
	if (repeats) {
		key = recall_key(s, user);
		id = recall_stack(ctx, slot, s, task, recall_user(slot, key, user->sp), place,
				  kernel);
		if (id)
			return id;
	}
	if (want_user && user->pc)
		find_probed_returns(s, task);
	if (want_user && user->pc && !unwind_by_tables(slot, s, task, user)) {
		find_probed_returns(s, task); /* again: unwinding has consumed some */
		if (!user->narrow) {
			id = send_copy(ctx, slot, task, s, user, kernel);
			if (id)
				return id;
			count(COUNT_UNCOPIED);
		}
		unwind_user(slot, s, user, false);
		if (!user->narrow) {
			/*
			 * Its own end means nothing: frame pointers may lead to an end by chance.
			 * The id must differ from that of a whole stack with the same frames.
			 */
			s->record.end = END_EARLY;
			s->record.id = mix(s->record.id, END_EARLY);
		}
	}
	if (repeats)
		remember_user(slot, key);
	if (!kernel)
		return send_stack(s);
	key = mix(s->record.id, slot + place);
	if (part == KERNEL_AT_CTX) {
		copy_words(ctx, s, task);
		id = recall_walk(slot, key);
		if (id)
			return id;
	}
	add_kernel_frames(ctx, s);
	id = send_stack(s);
	if (id && part == KERNEL_AT_CTX)
		remember_walk(slot, key, id);
	return id;
}

/*
 * Takes the stack of the current task: the user part from the given registers, if it has any, and
 * the wanted kernel part. Returns the stack's id, 0 if it was lost.
 */
static __always_inline u64 find_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user, enum kernel_part part)
{
	return find_stack_at(ctx, slot, task, tgid, user, part, 0);
}

/* As find_stack_at, for an event that is lost with its stack: counts the loss. */
static __always_inline u64 take_stack_at(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
					 struct user_registers *user, enum kernel_part part,
					 u64 place)
{
	u64 id = find_stack_at(ctx, slot, task, tgid, user, part, place);

	if (!id)
		count(COUNT_LOST_STACKS);
	return id;
}

/* As find_stack, for an event that is lost with its stack: counts the loss. */
static __always_inline u64 take_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user, enum kernel_part part)
{
	return take_stack_at(ctx, slot, task, tgid, user, part, 0);
}

/*
 * Claims a scratch buffer for a program that may be preempted. Returns its slot, SCRATCH_SLOTS if
 * all are in use. A program owns a buffer if it is the only one that has incremented claimed; two
 * that do so at once may both find it in use and move on to the next.
 */
static __always_inline u32 claim_scratch(void)
{
	for (u32 slot = SCRATCH_TASK; slot < SCRATCH_SLOTS; slot++) {
		u32 key = slot;
		struct scratch *s = bpf_map_lookup_elem(&scratches, &key);

		if (!s)
			continue;
		__sync_fetch_and_add(&s->claimed, 1);
		if (*(volatile u32 *)&s->claimed == 1)
			return slot;
		__sync_fetch_and_add(&s->claimed, -1);
	}
	return SCRATCH_SLOTS;
}

static __always_inline void release_scratch(u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);

	if (s)
		__sync_fetch_and_add(&s->claimed, -1);
}

/* As take_task_stack, with a place as in find_stack_at. */
static __always_inline u64 take_task_stack_at(void *ctx, struct task_struct *task, u32 tgid,
					      struct user_registers *user, enum kernel_part part,
					      u64 place)
{
	u32 slot = claim_scratch();
	u64 id;

	if (slot == SCRATCH_SLOTS) {
		count(COUNT_LOST_CALLS);
		return 0;
	}
	id = take_stack_at(ctx, slot, task, tgid, user, part, place);
	release_scratch(slot);
	return id;
}

/* As find_stack, for a program that may be preempted. Counts no loss: the caller decides. */
static __always_inline u64 find_task_stack(void *ctx, struct task_struct *task, u32 tgid,
					   struct user_registers *user, enum kernel_part part)
{
	u32 slot = claim_scratch();
	u64 id;

	if (slot == SCRATCH_SLOTS)
		return 0;
	id = find_stack(ctx, slot, task, tgid, user, part);
	release_scratch(slot);
	return id;
}

/* As take_stack, for a program that may be preempted. */
static __always_inline u64 take_task_stack(void *ctx, struct task_struct *task, u32 tgid,
					   struct user_registers *user, enum kernel_part part)
{
	return take_task_stack_at(ctx, task, tgid, user, part, 0);
}

#endif
