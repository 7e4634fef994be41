/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The user part of a stack: where a task was in user code, and its callers from there on. The seam for
 * unwinding by tables: unwind_user has to leave user_frames, end and the hash in the record.
 */
#ifndef PLUMB_UNWIND_H
#define PLUMB_UNWIND_H

#include "tables.h"

const volatile u32 max_user_frames = 1024;

/* Registers that a task saved when it entered the kernel. */
static __always_inline void read_registers(struct pt_regs *saved, struct user_registers *to)
{
#if defined(__TARGET_ARCH_x86)
	to->pc = BPF_CORE_READ(saved, ip);
	to->sp = BPF_CORE_READ(saved, sp);
	to->fp = BPF_CORE_READ(saved, bp);
	to->bx = BPF_CORE_READ(saved, bx);
	to->di = BPF_CORE_READ(saved, di);
	to->ax = BPF_CORE_READ(saved, ax);
	to->narrow = BPF_CORE_READ(saved, cs) == USER32_CS;
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
	/*
	 * In the middle of an exec the registers are those of the program that was there before. This is
	 * what load_elf_binary sets last before it sets them, when arguments and environment are copied.
	 */
	if (!BPF_CORE_READ(task, mm, end_code))
		return;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		read_registers((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), to);
	else
		read_registers(top_of_stack(task), to);
}

#define LOST 1 /* a frame pointer, or the place of one, that nothing is known of */
#define GO_ON 0xff /* instead of a stack_end */
#define EXACT 0x100 /* with it: the caller's pc is where it goes on, not behind a call */

/* Code whose table is not there yet. */
#define END_UNKNOWN 0xfe

/*
 * A word of the user's stack. Words are asked for in ascending order, several from each small stretch,
 * and each read from user space costs as much as the rest of a step: so a stretch is read at once.
 */
static __always_inline bool read_word(struct scratch *s, u64 at, u64 *to)
{
	u64 offset = at - s->window_start;

	if (!s->window_start || offset > sizeof(s->window) - sizeof(u64)) {
		s->window_start = at;
		offset = 0;
		if (bpf_probe_read_user(s->window, sizeof(s->window), (void *)at))
			s->window_start = 0; /* the stack's end: one by one */
	}
	if (!s->window_start || offset & 7)
		return !bpf_probe_read_user(to, sizeof(*to), (void *)at);
	offset >>= 3;
	barrier_var(offset);
	*to = s->window[offset & (WINDOW_WORDS - 1)];
	return true;
}

/* To the caller of a function that keeps a frame pointer. */
static __always_inline u32 by_frame_pointer(struct user_registers *user)
{
	u64 next[2] = {}; /* the caller's frame pointer, the return address */

	if (!user->fp)
		return END_WHOLE;
	if (user->fp < user->sp)
		return END_NO_FRAME_POINTER;
	if (bpf_probe_read_user(next, sizeof(next), (void *)user->fp))
		return END_NO_FRAME_POINTER;
	if (!next[1])
		return END_WHOLE;
	if (next[0] && next[0] <= user->fp)
		return END_NO_FRAME_POINTER;
	user->sp = user->fp + sizeof(next);
	user->fp = next[0];
	user->pc = next[1];
	return GO_ON;
}

/* The same in 32-bit code. */
static __always_inline u32 by_narrow_frame_pointer(struct user_registers *user)
{
	u32 next[2] = {};

	if (!user->fp)
		return END_WHOLE;
	if (user->fp < user->sp || bpf_probe_read_user(next, sizeof(next), (void *)user->fp))
		return END_NARROW;
	if (!next[1])
		return END_WHOLE;
	if (next[0] && next[0] <= user->fp)
		return END_NARROW;
	user->sp = user->fp + sizeof(next);
	user->fp = next[0];
	user->pc = next[1];
	return GO_ON;
}

/* To the caller of a function that has just been entered. */
static __always_inline u32 by_entry(struct user_registers *user)
{
	user->at_entry = 0;
#if defined(__TARGET_ARCH_x86)
	if (!user->narrow) {
		if (bpf_probe_read_user(&user->pc, sizeof(user->pc), (void *)user->sp))
			return END_UNREADABLE;
		user->sp += sizeof(user->pc);
		return GO_ON;
	}
#endif
	return user->narrow ? by_narrow_frame_pointer(user) : by_frame_pointer(user);
}

/* To what a signal interrupted: its registers lie in the ucontext that rsp points to. */
#define UCONTEXT_RBP 120
#define UCONTEXT_RBX 128
#define UCONTEXT_RSP 160
#define UCONTEXT_RIP 168

static __always_inline u32 by_signal_frame(struct scratch *s)
{
	struct user_registers *user = &s->user;
	u64 context = user->sp;

	s->bx_at = 0;
	if (!read_word(s, context + UCONTEXT_RBP, &user->fp) ||
	    !read_word(s, context + UCONTEXT_RBX, &user->bx) ||
	    !read_word(s, context + UCONTEXT_RSP, &user->sp) ||
	    !read_word(s, context + UCONTEXT_RIP, &user->pc))
		return END_UNREADABLE;
	return GO_ON;
}

/*
 * To the function that catches, while registers are made its own: GCC's library has a context for it,
 * with the places where its registers lie, its stack pointer, and its landing pad.
 */
#define CONTEXT_RBP 48
#define CONTEXT_CFA 144
#define CONTEXT_PC 152

static __always_inline u32 by_context(struct scratch *s, u64 context)
{
	struct user_registers *user = &s->user;
	u64 fp, sp;

	s->bx_at = LOST;
	if (!read_word(s, context + CONTEXT_RBP, &fp) || !read_word(s, context + CONTEXT_CFA, &sp) ||
	    !read_word(s, context + CONTEXT_PC, &user->pc))
		return END_UNREADABLE;
	if (sp <= user->sp)
		return END_ASTRAY;
	if (!read_word(s, fp, &user->fp))
		user->fp = LOST;
	user->sp = sp;
	return user->pc ? GO_ON | EXACT : END_WHOLE;
}

static __always_inline u64 leaf_register(struct user_registers *user, u8 cfa)
{
	switch (cfa) {
	case CFA_RAX:
		return user->ax;
	case CFA_RCX:
		return user->cx;
	case CFA_RSI:
		return user->si;
	case CFA_R10:
		return user->r10;
	default:
		return user->r11;
	}
}

static __always_inline u32 by_rule(struct scratch *s, u64 packed)
{
	struct unwind_rule rule = *(struct unwind_rule *)&packed;
	struct user_registers *user = &s->user;
	u64 cfa, fp = user->fp, bx = user->bx;

	switch (rule.cfa) {
	case CFA_RSP:
		cfa = user->sp + (s64)rule.cfa_offset;
		break;
	case CFA_RBP:
		cfa = user->fp + (s64)rule.cfa_offset;
		break;
	case CFA_AT_RBP:
		if (!read_word(s, user->fp + (s64)rule.cfa_offset, &cfa))
			return END_UNREADABLE;
		break;
	case CFA_PLT:
		cfa = user->sp + ((user->pc & 15) >= (u64)rule.cfa_offset ? 16 : 8);
		break;
	case CFA_RBX:
		if (s->bx_at == LOST)
			return END_UNSUPPORTED;
		if (s->bx_at && !read_word(s, s->bx_at, &bx))
			return END_UNREADABLE;
		cfa = bx + (s64)rule.cfa_offset;
		break;
	case CFA_RAX:
	case CFA_RCX:
	case CFA_RSI:
	case CFA_R10:
	case CFA_R11:
		if (s->record.user_frames != 1)
			return END_UNSUPPORTED;
		cfa = leaf_register(user, rule.cfa) + (s64)rule.cfa_offset;
		break;
	case CFA_ABOVE_WORD_AT_RSP:
		if (!read_word(s, user->sp + (s64)rule.cfa_offset, &cfa))
			return END_UNREADABLE;
		cfa += 8;
		break;
	case CFA_LANDING_IN_RCX:
		if (s->record.user_frames != 1)
			return END_UNSUPPORTED;
		user->pc = user->cx;
		return user->pc ? GO_ON | EXACT : END_UNREADABLE;
	case CFA_LANDING_AT_RCX:
		if (s->record.user_frames != 1)
			return END_UNSUPPORTED;
		if (!read_word(s, user->cx, &user->pc))
			return END_UNREADABLE;
		user->sp = user->cx + 8;
		return user->pc ? GO_ON | EXACT : END_WHOLE;
	case CFA_LANDING_IN_CONTEXT:
		return by_context(s, user->fp + (s64)rule.cfa_offset);
	case CFA_CLONED:
		if (s->record.user_frames == 1 && !user->ax)
			return END_WHOLE; /* its stack is a new one */
		cfa = user->sp + (s64)rule.cfa_offset;
		break;
	case CFA_RETURN_IN_RDI:
		if (s->record.user_frames != 1)
			return END_UNSUPPORTED;
		user->pc = user->di;
		return user->pc ? GO_ON : END_UNREADABLE;
	case CFA_OTHER_STACK:
		if (!user->fp)
			return END_WHOLE;
		if (user->fp == LOST)
			return END_NO_FRAME_POINTER;
		cfa = user->fp + (s64)rule.cfa_offset;
		break;
	case CFA_END:
		return END_WHOLE;
	default:
		return END_UNSUPPORTED;
	}
	if (cfa <= user->sp && rule.cfa != CFA_OTHER_STACK)
		return END_ASTRAY;
	switch (rule.rbp & 3) {
	case RBP_AT_CFA:
		if (!read_word(s, cfa + (s64)rule.rbp_offset, &fp))
			fp = LOST;
		break;
	case RBP_AT_RBP:
		if (!read_word(s, user->fp + (s64)rule.rbp_offset, &fp))
			fp = LOST;
		break;
	case RBP_UNDEFINED:
		fp = LOST;
	}
	if (rule.rbp >> 2)
		s->bx_at = rule.rbp >> 2 == RBX_LOST ? LOST : cfa - 8 * (u64)(rule.rbp >> 2);
	if (!read_word(s, cfa - 8, &user->pc))
		return END_UNREADABLE;
	user->sp = cfa;
	user->fp = fp;
	return user->pc ? GO_ON : END_WHOLE;
}

/*
 * Probes of returns put an address of their own on the stack; the kernel keeps the real one. Whether
 * unwinding has come to such a call, and to which caller it returns.
 */
#define MAX_PROBED_RETURNS 16

static __always_inline void find_probed_returns(struct scratch *s, struct task_struct *task)
{
	s->trampoline = 0;
	if (!bpf_core_field_exists(task->utask))
		return;
	s->instance = (u64)BPF_CORE_READ(task, utask, return_instances);
	if (s->instance)
		s->trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
}

/* A function of its own: the verifier need not walk through it for each frame. */
__noinline int undo_probed_return(u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);

	if (!s)
		return 0;
	for (u32 i = 0; i < MAX_PROBED_RETURNS; i++) {
		struct return_instance *call = (struct return_instance *)s->instance;

		if (!call)
			break;
		s->instance = (u64)BPF_CORE_READ(call, next);
		if (BPF_CORE_READ(call, stack) == s->user.sp - 8) {
			s->user.pc = BPF_CORE_READ(call, orig_ret_vaddr);
			break;
		}
	}
	return 0;
}

/*
 * One step to the caller: by the table if there are any, else by the frame pointer. before is how far before pc the
 * instruction is: 1 for a return address, whose call may be the function's last instruction.
 * Returns a stack_end; above it, in bit 8, whether the caller's pc is exact.
 */
__noinline u32 step(u32 slot, u32 before)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 pc, rule;

	if (!s)
		return END_UNREADABLE;
	if (s->user.at_entry)
		return by_entry(&s->user); /* some libraries, musl's, have no table that says so */
	if (!s->by_tables)
		return s->user.narrow ? by_narrow_frame_pointer(&s->user) :
					by_frame_pointer(&s->user);
	pc = s->user.pc - before;
	if ((pc < s->region.start || pc >= s->region.end) && !find_region(s, pc)) {
		s->region.end = 0;
		return END_UNKNOWN;
	}
	if (s->region.index_chunk == NOT_LOADED)
		return END_UNKNOWN;
	rule = find_rule(s, pc);
	switch (rule >> 48 & 0xff) {
	case CFA_NONE:
		/*
		 * No call returns to where a function begins: that is what a context made by hand has
		 * at its bottom.
		 */
		if (before && find_rule(s, pc + 1) >> 48 & 0xff)
			return END_WHOLE;
		return by_frame_pointer(&s->user);
	case CFA_SIGNAL:
		return by_signal_frame(s) | EXACT;
	default:
		return by_rule(s, rule);
	}
}

/* Where the return address of the frame at hand lies: the word below its stack. */
static __always_inline u16 place_of(struct scratch *s)
{
	u64 place = (s->user.sp - s->first_sp) / sizeof(u64) - 1;

	return place < MAX_PLACED_WORDS ? place : MAX_PLACED_WORDS;
}

/*
 * Up to so many frames more, into the record in the scratch buffer; GO_ON if there are others. In two
 * loops, one of them a function of its own: the verifier walks through each of them once, where one
 * loop of a thousand rounds would take it a tenth of a second.
 */
#define FRAMES_AT_ONCE 8

__noinline u32 unwind_some(u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);

	if (!s)
		return END_UNREADABLE;
	for (u32 round = 0; round < FRAMES_AT_ONCE; round++) {
		u64 i = s->record.user_frames, pc = s->user.pc;
		u32 result;

		barrier_var(i);
		if (i >= MAX_USER_FRAMES || i >= max_user_frames)
			return END_DEPTH;
		if (i && !s->before)
			pc |= INTERRUPTED;
		s->frames[i] = pc;
		s->record.id = mix(s->record.id, pc);
		s->record.user_frames = i + 1;
		result = step(slot, s->before);
		s->before = !(result & EXACT);
		s->has_places &= s->before;
		if (i < MAX_PLACES)
			s->places[i] = place_of(s);
		if ((result & 0xff) != GO_ON)
			return result & 0xff;
		if (s->trampoline && s->user.pc == s->trampoline)
			undo_probed_return(slot);
	}
	return GO_ON;
}

/* Unwinds from the registers in the scratch buffer on; a stack_end, or END_UNKNOWN. */
__noinline u32 unwind_all(u32 slot)
{
	u32 end = GO_ON;

	for (u32 round = 0; round < MAX_USER_FRAMES / FRAMES_AT_ONCE; round++) {
		end = unwind_some(slot);
		if (end != GO_ON)
			break;
	}
	return end == GO_ON ? END_DEPTH : end;
}

#endif
