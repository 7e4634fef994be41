/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stacks: kernel and user addresses are put together in a scratch buffer, hashed, and sent to user
 * space once; after that the hash stands for the stack.
 */
#ifndef PLUMB_STACK_H
#define PLUMB_STACK_H

#include "target.h"

const volatile u32 max_user_frames = 512;
const volatile bool want_kernel = true;
const volatile bool want_user = true;

/*
 * A buffer for each place that can interrupt another one on the same CPU: a timer may fire while a
 * switch is being recorded.
 */
enum scratch_slot {
	SCRATCH_TIMER,
	SCRATCH_SWITCH,
	SCRATCH_WAKE,
	SCRATCH_ITERATOR,
	SCRATCH_SLOTS,
};

#define MAX_WORDS 256

struct scratch {
	struct stack_record record;
	u64 frames[MAX_USER_FRAMES + MAX_KERNEL_FRAMES];
	u64 words[MAX_WORDS]; /* the leaf's end of the kernel stack */
	u32 word_count;
	u32 frame; /* of remember_walk: kept here, the verifier need not tell their values apart */
	u32 found;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * The stacks that were sent, by hash; a slot remembers its latest. Two that share a slot are sent
 * again whenever they alternate, which costs time but loses nothing, and needs no lock.
 */
#define SENT_SLOTS (1 << 17)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SENT_SLOTS);
	__type(key, u32);
	__type(value, u64);
} sent SEC(".maps");

/*
 * Stacks that were walked, and where on the kernel stack their return addresses lay. A walk costs some
 * microseconds, and threads that switch often do so in few places: when the same addresses lie in the
 * same places again, the walk would take the same way, so it is left out. One table a CPU, so that no
 * two writers meet.
 */
#define WALKED_STACKS 1024
#define MAX_WALKED_FRAMES 32

struct walked_stack {
	u64 user; /* the hash of the user part */
	u64 addresses; /* a hash of the return addresses */
	u64 stack;
	u32 count;
	u8 places[MAX_WALKED_FRAMES]; /* in words, counted from ctx */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALKED_STACKS);
	__type(key, u32);
	__type(value, struct walked_stack);
} walked_stacks SEC(".maps");

struct user_registers {
	u64 pc;
	u64 sp;
	u64 fp;
};

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* The same addresses mean something else in another process, or after an exec in the same one. */
static __always_inline u64 process_of(struct task_struct *task, u32 tgid)
{
	return mix(mix(tgid, BPF_CORE_READ(task, group_leader, start_time)),
		   BPF_CORE_READ(task, self_exec_id));
}

/* Registers that a task saved when it entered the kernel. */
static __always_inline void read_registers(struct pt_regs *saved, struct user_registers *to)
{
#if defined(__TARGET_ARCH_x86)
	to->pc = BPF_CORE_READ(saved, ip);
	to->sp = BPF_CORE_READ(saved, sp);
	to->fp = BPF_CORE_READ(saved, bp);
#elif defined(__TARGET_ARCH_arm64)
	to->pc = BPF_CORE_READ(saved, user_regs.pc);
	to->sp = BPF_CORE_READ(saved, user_regs.sp);
	to->fp = BPF_CORE_READ(saved, user_regs.regs[29]);
#endif
}

/* Kernels before 5.15 have no helper for it: the registers end at the top of the task's stack. */
static __always_inline struct pt_regs *top_of_stack(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + KERNEL_STACK_SIZE) - 1;
#elif defined(__TARGET_ARCH_arm64)
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + KERNEL_STACK_SIZE -
				  bpf_core_type_size(struct pt_regs));
#endif
}

/* Where the current task was in user code when it entered the kernel; pc 0 for kernel threads. */
static __always_inline void current_registers(struct task_struct *task, struct user_registers *to)
{
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		read_registers((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), to);
	else
		read_registers(top_of_stack(task), to);
}

/*
 * Follows frame pointers from the registers on, writing return addresses. A function of its own, so
 * that the verifier walks its loop once. The seam for unwinding by tables: it has to leave
 * user_frames, end and the hash in the record.
 */
__noinline int unwind_user(u32 slot, u64 pc, u64 fp)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u8 end = END_DEPTH;
	u64 hash;
	u32 i;

	if (!s)
		return 0;
	hash = s->record.id;
	for (i = 0; i < MAX_USER_FRAMES; i++) {
		u64 next[2] = {}; /* the caller's frame pointer, the return address */

		if (i >= max_user_frames)
			break;
		s->frames[i] = pc;
		hash = mix(hash, pc);
		if (!fp) {
			end = END_WHOLE;
		} else if (bpf_probe_read_user(next, sizeof(next), (void *)fp)) {
			end = END_UNREADABLE;
		} else if (!next[1]) {
			end = END_WHOLE;
		} else if (next[0] && next[0] <= fp) {
			end = END_NO_FRAME_POINTER;
		}
		if (end != END_DEPTH) {
			i++;
			break;
		}
		pc = next[1];
		fp = next[0];
	}
	s->record.user_frames = i;
	s->record.end = end;
	s->record.id = hash;
	return 0;
}

static __always_inline bool was_sent(u64 id)
{
	u32 slot = id & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);

	return known && *known == id;
}

/*
 * Copies the kernel stack from ctx on, which lies on it just below the frames in question, as the
 * arguments of a tracepoint do.
 */
static __always_inline void copy_words(void *ctx, struct scratch *s, struct task_struct *task)
{
	u64 bottom = (u64)BPF_CORE_READ(task, stack), sp, size;

	s->word_count = 0;
	s->words[0] = (u64)ctx; /* read back it is a number, which the verifier lets us count with */
	barrier_var(s);
	sp = *(volatile u64 *)&s->words[0];
	if (sp < bottom || sp >= bottom + KERNEL_STACK_SIZE)
		return; /* an interrupt's own stack */
	size = bottom + KERNEL_STACK_SIZE - sp;
	if (size > sizeof(s->words))
		size = sizeof(s->words);
	if (!bpf_probe_read_kernel(s->words, size, (void *)sp))
		s->word_count = size / sizeof(u64);
}

/* The id of the stack that was walked with these addresses in these places, or 0. */
__noinline u64 recall_walk(u32 slot, u64 user)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = user & (WALKED_STACKS - 1);
	struct walked_stack *walked = bpf_map_lookup_elem(&walked_stacks, &at);
	u64 addresses = 0;

	if (!s || !walked || walked->user != user)
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
 * Notes where the addresses of the walk in the scratch buffer lie. The first frames are those of our
 * own program, below what was copied. The outermost one may move (the kernel shifts its stack by a
 * random offset at each system call), but what it called has no other caller. If an address lies in
 * two places it is not clear which one the walk took: then nothing is noted.
 */
__noinline int remember_walk(u32 slot, u64 user, u64 stack)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 at = user & (WALKED_STACKS - 1);
	struct walked_stack *walked = bpf_map_lookup_elem(&walked_stacks, &at);
	u64 addresses = 0, previous = 0, end;

	if (!s || !walked)
		return 0;
	walked->user = 0;
	s->frame = s->record.user_frames;
	s->found = 0;
	end = s->frame + s->record.kernel_frames;
	for (u32 i = 0; i < MAX_WORDS; i++) {
		volatile struct scratch *v = s;
		u64 word = s->words[i], frame = v->frame, found = v->found;
		u64 *next;

		if (i >= s->word_count || frame + 1 >= end)
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
		else if (found && word == previous)
			return 0;
		else
			continue;
		walked->places[found] = i;
		v->found = found + 1;
		addresses = mix(addresses, word);
		previous = word;
	}
	if (!s->found || s->frame + 1 < end)
		return 0;
	walked->addresses = addresses;
	walked->stack = stack;
	walked->count = s->found;
	walked->user = user;
	return 0;
}

/* Sends the stack in the scratch buffer unless that was done; returns its id, 0 if it was lost. */
static __always_inline u64 send_stack(struct scratch *s)
{
	u64 id = s->record.id ?: 1;
	u32 slot = id & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);
	u64 size;

	if (!known)
		return 0;
	if (*known == id)
		return id;
	s->record.id = id;
	size = sizeof(s->record) + (s->record.user_frames + (u64)s->record.kernel_frames) * sizeof(u64);
	if (size > sizeof(*s))
		return 0;
	if (bpf_ringbuf_output(&records, s, size, wakeup())) {
		count(COUNT_LOST_STACKS);
		return 0;
	}
	*known = id;
	return id;
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

/*
 * The stack of the current task, from user registers on if it has any; its id, 0 if it was lost.
 * on_stack says that ctx lies on the task's kernel stack: then a stack that was seen before is known
 * again without a walk.
 */
static __always_inline u64 take_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user, bool on_stack)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 process, user_hash, id;

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
	if (want_user && user->pc)
		unwind_user(slot, user->pc, user->fp);
	if (!want_kernel)
		return send_stack(s);
	user_hash = s->record.id;
	if (on_stack) {
		copy_words(ctx, s, task);
		id = recall_walk(slot, user_hash);
		if (id)
			return id;
	}
	add_kernel_frames(ctx, s);
	id = send_stack(s);
	if (id && on_stack)
		remember_walk(slot, user_hash, id);
	return id;
}

#endif
