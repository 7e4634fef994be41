// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lists the calls whose return address a uretprobe has replaced, with the real address. For plumb
 * stack, which reads the stacks of a stopped process.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

const volatile u32 wanted_tgid = 0; /* 0 if the iterator itself is limited to one process */

#define MAX_RETURNS 64

struct return_record {
	u64 trampoline;
	u64 stack; /* address of the return address */
	u64 address;
};

SEC("iter/task")
int list_returns(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct return_record record = {};
	struct return_instance *call;

	if (!task || (wanted_tgid && task->tgid != wanted_tgid) ||
	    !bpf_core_field_exists(task->utask))
		return 0;
	call = BPF_CORE_READ(task, utask, return_instances);
	record.trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	for (u32 i = 0; i < MAX_RETURNS && call; i++) {
		record.stack = BPF_CORE_READ(call, stack);
		record.address = BPF_CORE_READ(call, orig_ret_vaddr);
		bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
		call = BPF_CORE_READ(call, next);
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
