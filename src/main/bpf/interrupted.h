/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* User registers of the task that a perf event interrupted. */
#ifndef PLUMB_INTERRUPTED_H
#define PLUMB_INTERRUPTED_H

#include "stack.h"

/* The event's registers if it interrupted user code, else those saved at entry to the kernel. */
static __always_inline void interrupted_registers(struct bpf_perf_event_data *ctx,
						  struct task_struct *task,
						  struct user_registers *to)
{
#if defined(__TARGET_ARCH_x86)
	if (ctx->regs.cs & 3) {
		to->pc = ctx->regs.ip;
		to->sp = ctx->regs.sp;
		to->fp = ctx->regs.bp;
		to->bx = ctx->regs.bx;
		to->di = ctx->regs.di;
		to->ax = ctx->regs.ax;
		to->cx = ctx->regs.cx;
		to->si = ctx->regs.si;
		to->r10 = ctx->regs.r10;
		to->r11 = ctx->regs.r11;
		to->narrow = ctx->regs.cs == USER32_CS;
		return;
	}
#elif defined(__TARGET_ARCH_arm64)
	if (!(ctx->regs.pstate & 0xf)) {
		to->pc = ctx->regs.pc;
		to->sp = ctx->regs.sp;
		to->fp = ctx->regs.regs[29];
		return;
	}
#endif
	current_registers(task, to);
}

#endif
