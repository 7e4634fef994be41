/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Unwinds the user part of a stack: from the pc at which a task was in user code to its callers.
 * unwind_all leaves the frames, their number and their hash in the scratch buffer.
 */
#ifndef PLUMB_UNWIND_H
#define PLUMB_UNWIND_H

#include "tables.h"

const volatile u32 max_user_frames = 1024;

/* Copies the registers that a task saved when it entered the kernel. */
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

/* For kernels before 5.15, which lack bpf_task_pt_regs: the registers end at the stack's top. */
static __always_inline struct pt_regs *top_of_stack(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + KERNEL_STACK_SIZE) - 1;
#elif defined(__TARGET_ARCH_arm64)
	return (struct pt_regs *)(BPF_CORE_READ(task, stack) + KERNEL_STACK_SIZE -
				  bpf_core_type_size(struct pt_regs));
#endif
}

/* The user registers of the current task. Leaves pc 0 for kernel threads and during an exec. */
static __always_inline void current_registers(struct task_struct *task, struct user_registers *to)
{
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return;
	/*
	 * During an exec, the saved registers are still those of the old program. load_elf_binary
	 * sets end_code after it has copied arguments and environment, just before it sets the
	 * registers.
	 */
	if (!BPF_CORE_READ(task, mm, end_code))
		return;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		read_registers((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), to);
	else
		read_registers(top_of_stack(task), to);
}

#define LOST 1 /* as fp or bx_at: unknown */

/* What a step returns if it does not return a stack_end. */
#define GO_ON 0xff /* there is a caller */
#define EXACT 0x100 /* flag with GO_ON: the caller resumes at pc; pc is no return address */
#define END_UNKNOWN 0xfe /* this code's table is not loaded yet */
#define TRY_LAST 0xfd /* the code has no table, and the frame pointer leads nowhere */

/*
 * Reads a word of the user stack. Unwinding asks for words in ascending order, several of them
 * close together, and a read of user memory costs as much as the rest of a step. So this reads a
 * window of words at once.
 */
static __always_inline bool read_word(struct scratch *s, u64 at, u64 *to)
{
	u64 offset = at - s->window_start;

	if (!s->window_start || offset > sizeof(s->window) - sizeof(u64)) {
		s->window_start = at;
		offset = 0;
		if (bpf_probe_read_user(s->window, sizeof(s->window), (void *)at))
			s->window_start = 0; /* beyond the stack's end: read word by word */
	}
	if (!s->window_start || offset & 7)
		return !bpf_probe_read_user(to, sizeof(*to), (void *)at);
	offset >>= 3;
	barrier_var(offset);
	*to = s->window[offset & (WINDOW_WORDS - 1)];
	return true;
}

/* Steps to the caller of a function that keeps a frame pointer. */
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

/* Steps to the caller of a function that has just been entered. */
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

/* Steps to the code that a signal interrupted: its registers are in the ucontext at rsp. */
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
 * Steps to the function that catches an exception, while libgcc installs that function's registers.
 * Its _Unwind_Context has the addresses of saved registers, the stack pointer and the landing pad.
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

/* A register whose value is known in the leaf frame only. */
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

/* Steps to the caller by an unwind rule. */
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
			return END_WHOLE; /* the child, on a stack of its own */
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
 * A uretprobe replaces a call's return address on the stack by that of a trampoline; the kernel
 * keeps the real ones in a list per task. find_probed_returns() finds the list,
 * undo_probed_return() takes the real address from it when unwinding reaches the trampoline.
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

/* A global function, so that the verifier does not walk through it for each frame. */
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
 * Whether a call instruction ends at pc: a direct call (e8 and four bytes), or an indirect one (ff,
 * then a ModRM byte whose reg field is 2; 2 to 7 bytes in all).
 */
static __always_inline bool follows_call(u64 pc)
{
#if defined(__TARGET_ARCH_x86)
	u8 code[7];

	if (bpf_probe_read_user(code, sizeof(code), (void *)(pc - sizeof(code))))
		return false;
	return code[2] == 0xe8 || (code[5] == 0xff && (code[6] & 0x38) == 0x10) ||
	       (code[4] == 0xff && (code[5] & 0x38) == 0x10) ||
	       (code[3] == 0xff && (code[4] & 0x38) == 0x10) ||
	       (code[1] == 0xff && (code[2] & 0x38) == 0x10) ||
	       (code[0] == 0xff && (code[1] & 0x38) == 0x10);
#else
	return true;
#endif
}

/*
 * Steps from a function that keeps a frame pointer to a caller that uses the register for something
 * else: V8's JIT code keeps frame pointers, the C++ that calls it does not. To be sure, the caller
 * must have a table, which needs no frame pointer, and the return address must follow a call.
 */
__noinline u32 by_last_frame_pointer(u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 next[2] = {}, pc;

	if (!s || s->user.fp < s->user.sp ||
	    bpf_probe_read_user(next, sizeof(next), (void *)s->user.fp))
		return END_NO_FRAME_POINTER;
	pc = next[1] - 1;
	if ((pc < s->region.start || pc >= s->region.end) && !find_region(s, pc)) {
		s->region.end = 0;
		return END_NO_FRAME_POINTER;
	}
	if (s->region.index_chunk == NOT_LOADED || !(find_rule(s, pc) >> 48 & 0xff) ||
	    !follows_call(next[1]))
		return END_NO_FRAME_POINTER;
	s->user.sp = s->user.fp + sizeof(next);
	s->user.fp = next[0];
	s->user.pc = next[1];
	return GO_ON;
}

/*
 * Steps to the caller: by table, or by frame pointer where no table is used or none describes the
 * code. pc - before is looked up: before is 1 if pc is a return address, since the call may be the
 * function's last instruction. Returns a stack_end, END_UNKNOWN, TRY_LAST, or GO_ON, the latter
 * with EXACT if the caller's pc is no return address.
 */
__noinline u32 step(u32 slot, u32 before)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);
	u64 pc, rule;
	u32 end;

	if (!s)
		return END_UNREADABLE;
	if (s->user.at_entry)
		return by_entry(&s->user); /* needs no table: musl, for one, has none */
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
		 * A return address at the very beginning of a function: no call returns there. It
		 * is the bottom of a context that was set up by hand.
		 */
		if (before && find_rule(s, pc + 1) >> 48 & 0xff)
			return END_WHOLE;
		s->bx_at = LOST; /* nothing says whether the function preserved rbx */
		end = by_frame_pointer(&s->user);
		return end == END_NO_FRAME_POINTER ? TRY_LAST : end;
	case CFA_SIGNAL:
		return by_signal_frame(s) | EXACT;
	default:
		return by_rule(s, rule);
	}
}

/* Where the return address that led to the current frame lies: in the word below its sp. */
static __always_inline u16 place_of(struct scratch *s)
{
	u64 place = (s->user.sp - s->first_sp) / sizeof(u64) - 1;

	return place < MAX_PLACED_WORDS ? place : MAX_PLACED_WORDS;
}

/*
 * Frames per call of unwind_some(). Two nested loops, with the inner one in a global function: the
 * verifier walks through each once, while a single loop of a thousand rounds would take it a tenth
 * of a second.
 */
#define FRAMES_AT_ONCE 8

/* Unwinds up to FRAMES_AT_ONCE frames into the scratch buffer. Returns GO_ON if there are more. */
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
		/* Called here and not by step: the verifier adds up the stacks of nested calls. */
		if (result == TRY_LAST)
			result = by_last_frame_pointer(slot);
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

/* Unwinds from the registers in the scratch buffer. Returns a stack_end or END_UNKNOWN. */
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
