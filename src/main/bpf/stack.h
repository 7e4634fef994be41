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

struct scratch {
	struct stack_record record;
	u64 frames[MAX_KERNEL_FRAMES + MAX_USER_FRAMES];
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
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + (4096 << 2)) - 1;
#elif defined(__TARGET_ARCH_arm64)
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + (4096 << 2) -
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
 * Follows frame pointers from the registers on, writing return addresses behind the kernel's
 * frames. A function of its own, so that the verifier walks its loop once. The seam for unwinding
 * by tables: it has to leave user_frames, end and the hash in the record.
 */
__noinline int unwind_user(u32 slot, u64 pc, u64 fp)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u32 kernel_frames, i;
	u8 end = END_DEPTH;
	u64 hash;

	if (!s)
		return 0;
	kernel_frames = s->record.kernel_frames;
	if (kernel_frames > MAX_KERNEL_FRAMES)
		return 0;
	hash = s->record.id;
	for (i = 0; i < MAX_USER_FRAMES; i++) {
		u64 next[2] = {}; /* the caller's frame pointer, the return address */

		if (i >= max_user_frames)
			break;
		s->frames[kernel_frames + i] = pc;
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
	size = sizeof(s->record) + (s->record.kernel_frames + (u64)s->record.user_frames) * sizeof(u64);
	if (size > sizeof(*s))
		return 0;
	if (bpf_ringbuf_output(&records, s, size, wakeup())) {
		count(COUNT_LOST_STACKS);
		return 0;
	}
	*known = id;
	return id;
}

/* The stack of the current task, from user registers on if it has any; its id, 0 if it was lost. */
static __always_inline u64 take_stack(void *ctx, u32 slot, struct task_struct *task, u32 tgid,
				      struct user_registers *user)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 process, hash;
	long bytes = 0;

	if (!s)
		return 0;
	if (want_kernel)
		bytes = bpf_get_stack(ctx, s->frames, MAX_KERNEL_FRAMES * sizeof(u64), 0);
	if (bytes < 0)
		bytes = 0;
	hash = process = process_of(task, tgid);
	for (u32 i = 0; i < MAX_KERNEL_FRAMES; i++) {
		if (i * sizeof(u64) >= bytes)
			break;
		hash = mix(hash, s->frames[i]);
	}
	s->record = (struct stack_record){
		.kind = RECORD_STACK,
		.tgid = tgid,
		.id = hash,
		.process = process,
		.time = bpf_ktime_get_ns(),
		.kernel_frames = bytes / sizeof(u64),
		.end = END_WHOLE,
	};
	if (want_user && user->pc)
		unwind_user(slot, user->pc, user->fp);
	return send_stack(s);
}

#endif
