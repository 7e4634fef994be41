// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lists all processes, so that user space can assign tables to them before their first sample. */
#include "process.h"

struct listed_process {
	u64 process; /* as in stack_record */
	u32 tgid;
	u32 pad;
};

SEC("iter/task")
int list_processes(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct listed_process listed = {};

	if (!task || task->pid != task->tgid)
		return 0;
	listed.tgid = task->tgid;
	listed.process = process_of(task, listed.tgid);
	bpf_seq_write(ctx->meta->seq, &listed, sizeof(listed));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
