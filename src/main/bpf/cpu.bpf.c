// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* On-CPU: a timer on each CPU takes the stack that it interrupts. */
#include "interrupted.h"

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
	count(COUNT_DUE);
	interrupted_registers(ctx, task, &user);
	sample.stack = take_stack(ctx, SCRATCH_TIMER, task, sample.tgid, &user, KERNEL_ANYWHERE);
	if (sample.stack)
		send(&sample, sizeof(sample));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
