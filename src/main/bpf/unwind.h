/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The user part of a stack: where a task was in user code, and its callers from there on. The seam for
 * unwinding by tables: unwind_user has to leave user_frames, end and the hash in the record.
 */
#ifndef PLUMB_UNWIND_H
#define PLUMB_UNWIND_H

#include "scratch.h"

const volatile u32 max_user_frames = 512;

struct user_registers {
	u64 pc;
	u64 sp;
	u64 fp;
};

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
 * that the verifier walks its loop once.
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

#endif
