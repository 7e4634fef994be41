// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Load: how many threads are runnable on each CPU, and what it is running; a timer samples both. */
#include "interrupted.h"

SEC("perf_event")
int on_look(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct user_registers user = {};
	struct load_record look = {
		.kind = RECORD_LOAD,
		.cpu = bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.tgid = id >> 32,
		.tid = id,
	};

	if (!look.tid || !watched(task, look.tgid, look.tid))
		return 0;
	count(COUNT_DUE);
	look.length = BPF_CORE_READ(task, se.cfs_rq, rq, nr_running);
	interrupted_registers(ctx, task, &user);
	look.stack = take_stack(ctx, SCRATCH_TIMER, task, look.tgid, &user, KERNEL_ANYWHERE);
	if (look.stack)
		send(&look, sizeof(look));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
