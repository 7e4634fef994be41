/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Arguments and stacks of user functions that have just been entered or have just returned. */
#ifndef PLUMB_CALLS_H
#define PLUMB_CALLS_H

#include "sums.h"

static __always_inline void registers_of(struct pt_regs *ctx, struct user_registers *to)
{
#if defined(__TARGET_ARCH_x86)
	to->pc = ctx->ip;
	to->sp = ctx->sp;
	to->fp = ctx->bp;
	to->bx = ctx->bx;
	to->narrow = ctx->cs == USER32_CS;
#elif defined(__TARGET_ARCH_arm64)
	to->pc = ctx->user_regs.pc;
	to->sp = ctx->user_regs.sp;
	to->fp = ctx->user_regs.regs[29];
#endif
}

#if defined(__TARGET_ARCH_x86)
#define FIRST(ctx) ((ctx)->di)
#define SECOND(ctx) ((ctx)->si)
#define THIRD(ctx) ((ctx)->dx)
#define RESULT(ctx) ((ctx)->ax)
#define SP(ctx) ((ctx)->sp)
#define PC(ctx) ((ctx)->ip)
#define SP_AFTER(call) ((call)->sp + 8) /* ret has popped the return address */
#elif defined(__TARGET_ARCH_arm64)
#define FIRST(ctx) ((ctx)->user_regs.regs[0])
#define SECOND(ctx) ((ctx)->user_regs.regs[1])
#define THIRD(ctx) ((ctx)->user_regs.regs[2])
#define RESULT(ctx) ((ctx)->user_regs.regs[0])
#define SP(ctx) ((ctx)->user_regs.sp)
#define PC(ctx) ((ctx)->user_regs.pc)
#define SP_AFTER(call) ((call)->sp)
#endif

/* The user stack at the entry of a function. */
static __always_inline u64 stack_of(struct pt_regs *ctx, struct task_struct *task, u32 tgid)
{
	struct user_registers user = {};

	registers_of(ctx, &user);
	user.at_entry = 1;
	return take_task_stack(ctx, task, tgid, &user, KERNEL_NONE);
}

#endif
