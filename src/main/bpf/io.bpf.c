// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * I/O of programs: what their system calls read, wrote and synced, on which file or socket, and how
 * long that took. Bytes are those that a call transferred, not those that it asked for. io_uring
 * requests count too, from submission to completion.
 */
#include "file.h"
#include "sums.h"

/*
 * What a system call does, by its number: 1 reads, 2 writes, 3 syncs the file of its first
 * argument, 4 syncs without naming a file, 0 none of these. User space fills it in.
 */
#define WRITES 2
#define SYNCS 3
#define SYNCS_OTHERS 4
#define MAX_SYSCALLS 512

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SYSCALLS);
	__type(key, u32);
	__type(value, u32);
} directions SEC(".maps");

/* The system call in which a thread is. */
struct io_call {
	u64 since; /* 0: in none */
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

/* The detail of a sum: the file's id, and above it: */
#define DETAIL_BUCKET 48 /* six bits: the bucket of the latency */
#define DETAIL_WRITE (1ULL << 54)
#define DETAIL_FAILED (1ULL << 55)
#define DETAIL_OPERATION 56 /* six bits: io_uring's opcode; 0 for system calls */
#define DETAIL_SYNC (1ULL << 62)

#if defined(__TARGET_ARCH_x86)
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, di)
#elif defined(__TARGET_ARCH_arm64)
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, user_regs.regs[0])
#endif

/* Counts a call that is lost because there is no room to remember its start. */
static __always_inline void lose_call(void)
{
	count(COUNT_DUE);
	count(COUNT_LOST_CALLS);
}

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
	call.fd = call.direction == SYNCS_OTHERS ? ~0U : (u32)FIRST_ARGUMENT(regs);
	call.since = bpf_ktime_get_ns();
	known = bpf_map_lookup_elem(&io_calls, &tid);
	if (known)
		*known = call;
	else if (bpf_map_update_elem(&io_calls, &tid, &call, BPF_ANY))
		lose_call();
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
	count(COUNT_DUE);
	task = (struct task_struct *)bpf_get_current_task();
	current_registers(task, &user);
	key.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_NONE);
	if (!key.stack)
		return 0;
	key.detail = id_of_file(file_of(task, call->fd)) | (u64)bucket(took) << DETAIL_BUCKET |
		     (call->direction == WRITES ? DETAIL_WRITE : 0) |
		     (call->direction >= SYNCS ? DETAIL_SYNC : 0) | (result < 0 ? DETAIL_FAILED : 0);
	add_sum(&key, 1, result > 0 ? result : 0, took);
	return 0;
}

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_kiocb {
	struct file *file;
	u8 opcode;
};

struct io_uring_cqe {
	int res;
};

#pragma clang attribute pop

const volatile u32 result_apart = 0; /* the result is an argument of its own: before 6.11 */

/* Bitmaps of io_uring's operations (enum io_uring_op), as far as they move or sync bytes. */
#define BIT(n) (1ULL << (n))
#define URING_READS (BIT(1) | BIT(4) | BIT(10) | BIT(22) | BIT(27) | BIT(30) | BIT(49) | BIT(58) | BIT(60))
#define URING_WRITES (BIT(2) | BIT(5) | BIT(9) | BIT(23) | BIT(26) | BIT(47) | BIT(48) | BIT(61))
#define URING_SYNCS (BIT(3) | BIT(8))

/* An io_uring request that is not complete yet. */
struct io_request {
	u64 since;
	u64 stack;
	u32 tid;
	u32 operation;
};

/*
 * By address, which the kernel uses again and again. LRU, because a request that wants no
 * completion never ends here.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct io_request);
} io_requests SEC(".maps");

static __always_inline int on_submit(u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), at = ctx[0];
	struct io_request request = { .tid = id };
	struct user_registers user = {};

	request.operation = BPF_CORE_READ((struct io_kiocb *)at, opcode);
	if (request.operation > 63 || !((URING_READS | URING_WRITES | URING_SYNCS) >> request.operation & 1))
		return 0;
	if (!watched(task, id >> 32, id))
		return 0;
	current_registers(task, &user);
	request.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_NONE);
	request.since = bpf_ktime_get_ns();
	if (!request.stack)
		count(COUNT_DUE); /* counted as lost */
	else if (bpf_map_update_elem(&io_requests, &at, &request, BPF_ANY))
		lose_call();
	return 0;
}

static __always_inline int on_complete(u64 *ctx)
{
	u64 at = ctx[1], took;
	struct io_request *request = bpf_map_lookup_elem(&io_requests, &at);
	struct sum_key key = { .kind = RECORD_IO };
	int result;

	if (!request)
		return 0;
	if (result_apart)
		result = ARGUMENT(ctx, 3);
	else
		result = BPF_CORE_READ((struct io_uring_cqe *)ARGUMENT(ctx, 2), res);
	took = bpf_ktime_get_ns() - request->since;
	key.stack = request->stack;
	key.tid = request->tid;
	key.detail = id_of_file(BPF_CORE_READ((struct io_kiocb *)at, file)) |
		     (u64)bucket(took) << DETAIL_BUCKET | (u64)request->operation << DETAIL_OPERATION |
		     (URING_WRITES >> (request->operation & 63) & 1 ? DETAIL_WRITE : 0) |
		     (URING_SYNCS >> (request->operation & 63) & 1 ? DETAIL_SYNC : 0) |
		     (result < 0 ? DETAIL_FAILED : 0);
	bpf_map_delete_elem(&io_requests, &at);
	count(COUNT_DUE);
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
OPTIONAL_TRACEPOINT(io_uring_submit_req, on_submit, on_submit)
OPTIONAL_TRACEPOINT(io_uring_submit_sqe, on_submit, on_submit_sqe) /* before 6.4 */
OPTIONAL_TRACEPOINT(io_uring_complete, on_complete, on_complete)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
