// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* On-CPU: a timer on each CPU, the stack of what it interrupted. */
#include "stack.h"

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

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct user_registers user = {};
	struct cpu_record sample = {
		.kind = RECORD_CPU,
		.cpu = bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.tgid = id >> 32,
		.tid = id,
	};

	count(COUNT_TICKS);
	if (!sample.tid) {
		count(COUNT_IDLE);
		return 0;
	}
	if (!watched(task, sample.tgid, sample.tid))
		return 0;
	interrupted_registers(ctx, task, &user);
	sample.stack = take_stack(ctx, SCRATCH_TIMER, task, sample.tgid, &user, false);
	if (sample.stack)
		send(&sample, sizeof(sample));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
