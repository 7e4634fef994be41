// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Page faults per stack, minor and major, from perf's software counters; and by how much the
 * resident memory of processes grows (resident.h). Every fault counts.
 */
#include "interrupted.h"
#include "resident.h"

static __always_inline int on_fault(struct bpf_perf_event_data *ctx, bool major)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct sum_key key = { .tid = id, .kind = RECORD_FAULT };
	struct user_registers user = {};

	if (!watched(task, id >> 32, id))
		return 0;
	count(COUNT_DUE);
	interrupted_registers(ctx, task, &user);
	key.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_ANYWHERE);
	if (key.stack)
		add_sum(&key, 1, major, 0);
	return 0;
}

SEC("perf_event")
int on_minor(struct bpf_perf_event_data *ctx)
{
	return on_fault(ctx, false);
}

SEC("perf_event")
int on_major(struct bpf_perf_event_data *ctx)
{
	return on_fault(ctx, true);
}

static __always_inline int on_size(u64 *ctx)
{
	struct sum_key key = { .kind = RECORD_FAULT };
	u64 bytes = grown_bytes(ctx, &key);

	if (bytes)
		add_sum(&key, 0, 0, bytes);
	return 0;
}

TRACEPOINT(rss_stat, on_size)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
