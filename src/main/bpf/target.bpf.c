// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The children of watched processes are watched too, from their first instruction. */
#include "target.h"

const volatile u32 launcher_tgid = 0; /* Plumb itself, if it runs the command; else 0 */

static __always_inline int on_fork(struct task_struct *parent, struct task_struct *child)
{
	u32 parent_tgid = BPF_CORE_READ(parent, tgid);
	u32 child_tgid = BPF_CORE_READ(child, tgid);
	u8 one = 1;

	if (parent_tgid == child_tgid)
		return 0;
	if (parent_tgid == launcher_tgid || bpf_map_lookup_elem(&target_tgids, &parent_tgid))
		if (bpf_map_update_elem(&target_tgids, &child_tgid, &one, BPF_ANY))
			count(COUNT_LOST_CHILDREN);
	return 0;
}

/* Another process may soon get the same pid, so the last thread to exit removes it. */
static __always_inline int on_exit(struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid);

	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&target_tgids, &tgid);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork_btf(u64 *ctx)
{
	return on_fork((struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
}

SEC("?raw_tp/sched_process_fork")
int on_fork_raw(u64 *ctx)
{
	return on_fork((struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
}

SEC("tp_btf/sched_process_exit")
int on_exit_btf(u64 *ctx)
{
	return on_exit((struct task_struct *)ctx[0]);
}

SEC("?raw_tp/sched_process_exit")
int on_exit_raw(u64 *ctx)
{
	return on_exit((struct task_struct *)ctx[0]);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
