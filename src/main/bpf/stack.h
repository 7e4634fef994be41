/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stacks: user and kernel addresses are put together in a scratch buffer, hashed, and sent to user
 * space once; after that the hash stands for the stack.
 */
#ifndef PLUMB_STACK_H
#define PLUMB_STACK_H

#include "copy.h"
#include "recall.h"
#include "walk.h"

const volatile bool want_user = true;

/* The same addresses mean something else in another process, or after an exec in the same one. */
static __always_inline u64 process_of(struct task_struct *task, u32 tgid)
{
	return mix(mix(tgid, BPF_CORE_READ(task, group_leader, start_time)),
		   BPF_CORE_READ(task, self_exec_id));
}

/* Unwinds the user part of the stack; whether it is known how. */
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

#define MOST_FORKS 3

/*
 * Which process has the regions of one that was forked and has not exec'd: it has the same code at the same
 * addresses. 0 if there is none. A process whose parent has ended has another one; hence the addresses.
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

/* By tables; false if that has to be done by user space. */
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

/* Walks the kernel's frames and adds them to what is in the scratch buffer. */
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

/* What is known of a stack from another time: the kernel part as well, if it is wanted; 0 if nothing. */
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

enum kernel_part {
	KERNEL_NONE, /* probes in user code */
	KERNEL_ANYWHERE,
	KERNEL_AT_CTX, /* ctx lies on the task's kernel stack: it may be known again without a walk */
};

/* As find_stack; the place sets kernel stacks apart of which one user stack leads to many. */
static __always_inline u64 find_stack_at(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
					 struct user_registers *user, enum kernel_part part,
					 u64 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	bool kernel = want_kernel && part != KERNEL_NONE;
	bool repeats = part != KERNEL_ANYWHERE && want_user && user->pc; /* at few places of the code */
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
		find_probed_returns(s, task); /* again: unwinding has gone past some */
		if (!user->narrow) {
			id = send_copy(ctx, slot, task, s, user, kernel);
			if (id)
				return id;
			count(COUNT_UNCOPIED);
		}
		unwind_user(slot, s, user, false);
		if (!user->narrow) {
			/* Whatever it says: chance may end it anywhere. Not the same as a whole one. */
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

/* The stack of the current task, from user registers on if it has any; its id, 0 if it was lost. */
static __always_inline u64 find_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user, enum kernel_part part)
{
	return find_stack_at(ctx, slot, task, tgid, user, part, 0);
}

static __always_inline u64 take_stack_at(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
					 struct user_registers *user, enum kernel_part part,
					 u64 place)
{
	u64 id = find_stack_at(ctx, slot, task, tgid, user, part, place);

	if (!id)
		count(COUNT_LOST_STACKS);
	return id;
}

/* The same for an event that is lost with its stack. */
static __always_inline u64 take_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user, enum kernel_part part)
{
	return take_stack_at(ctx, slot, task, tgid, user, part, 0);
}

/*
 * Claims a buffer for a program that may be preempted; SCRATCH_SLOTS if all are in use. It is ours if
 * nobody but us counts on it; two that come to it at once may both find it in use and go on.
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

/* As take_task_stack; the place is as in take_stack_at. */
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

/* As find_stack, for a program that may be preempted: no event is lost with it. */
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

/* The stack of the current task, for a program that may be preempted; 0 if it was lost. */
static __always_inline u64 take_task_stack(void *ctx, struct task_struct *task, u32 tgid,
					   struct user_registers *user, enum kernel_part part)
{
	return take_task_stack_at(ctx, task, tgid, user, part, 0);
}

#endif
