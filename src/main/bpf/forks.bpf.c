// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Forks: who starts processes and threads. */
#include "sums.h"

#define DETAIL_THREAD 1

static __always_inline int on_fork(u64 *ctx)
{
	struct task_struct *parent = (struct task_struct *)ctx[0];
	struct task_struct *child = (struct task_struct *)ctx[1];
	u32 tgid = BPF_CORE_READ(parent, tgid), tid = BPF_CORE_READ(parent, pid);
	struct sum_key key = { .tid = tid, .kind = RECORD_FORKS };
	struct user_registers user = {};

	if (!watched(parent, tgid, tid))
		return 0;
	count(COUNT_DUE);
	if (BPF_CORE_READ(child, tgid) == tgid)
		key.detail = DETAIL_THREAD;
	current_registers(parent, &user);
	key.stack = take_stack(ctx, SCRATCH_FORK, parent, tgid, &user, KERNEL_AT_CTX);
	if (key.stack)
		add_sum(&key, 1, 0, 0);
	return 0;
}

TRACEPOINT(sched_process_fork, on_fork)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
