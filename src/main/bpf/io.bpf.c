// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * I/O of programs: what their system calls read and wrote, how long that took, and of which file or
 * socket. Bytes are those that were returned, not those that were asked for.
 */
#include "file.h"
#include "sums.h"

/* By number: 1 reads, 2 writes, 0 does neither. User space fills it in. */
#define MAX_SYSCALLS 512

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SYSCALLS);
	__type(key, u32);
	__type(value, u32);
} directions SEC(".maps");

/* What a thread is in. */
struct io_call {
	u64 since; /* 0: nothing */
	u64 fd;
	u32 number;
	u32 direction;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct io_call);
} io_calls SEC(".maps");

/* Details of sums: the file's id, and above it: */
#define DETAIL_BUCKET 48 /* six bits */
#define DETAIL_WRITE (1ULL << 54)
#define DETAIL_FAILED (1ULL << 55)

#if defined(__TARGET_ARCH_x86)
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, di)
#elif defined(__TARGET_ARCH_arm64)
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, user_regs.regs[0])
#endif

static __always_inline int on_enter(u64 *ctx)
{
	struct task_struct *task;
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	u32 number = ctx[1], *direction = bpf_map_lookup_elem(&directions, &number), tid;
	struct io_call *known, call = { .number = number };
	u64 id;

	if (!direction || !*direction)
		return 0;
	task = (struct task_struct *)bpf_get_current_task();
	id = bpf_get_current_pid_tgid();
	tid = id;
	if (!watched(task, id >> 32, tid))
		return 0;
	call.direction = *direction;
	call.fd = (u32)FIRST_ARGUMENT(regs);
	call.since = bpf_ktime_get_ns();
	known = bpf_map_lookup_elem(&io_calls, &tid);
	if (known)
		*known = call;
	else if (bpf_map_update_elem(&io_calls, &tid, &call, BPF_ANY))
		count(COUNT_LOST_CALLS);
	return 0;
}

static __always_inline int on_leave(u64 *ctx)
{
	u64 id = bpf_get_current_pid_tgid(), took;
	u32 tid = id;
	struct io_call *call = bpf_map_lookup_elem(&io_calls, &tid);
	struct sum_key key = { .tid = tid, .kind = RECORD_IO };
	struct user_registers user = {};
	struct task_struct *task;
	long result = ctx[1];

	if (!call || !call->since)
		return 0;
	took = bpf_ktime_get_ns() - call->since;
	call->since = 0;
	task = (struct task_struct *)bpf_get_current_task();
	current_registers(task, &user);
	key.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_NONE);
	if (!key.stack)
		return 0;
	key.detail = file_id(task, call->fd) | (u64)bucket(took) << DETAIL_BUCKET |
		     (call->direction == 2 ? DETAIL_WRITE : 0) | (result < 0 ? DETAIL_FAILED : 0);
	add_sum(&key, 1, result > 0 ? result : 0, took);
	return 0;
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&io_calls, &tid);
	return 0;
}

TRACEPOINT(sys_enter, on_enter)
TRACEPOINT(sys_exit, on_leave)
TRACEPOINT(sched_process_exit, on_exit)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
