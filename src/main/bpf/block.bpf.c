// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests to block devices: their bytes, how long they were queued, how long the device took, and
 * the stack that made them. The task that makes a request is current when the kernel begins to
 * account for it (block_io_start, since 6.5, 5a80bd075f3b). In older kernels it is current when
 * they queue the request (block_rq_insert) or, if they do not queue it, issue it (block_rq_issue).
 */
#include "sums.h"

const volatile u32 queue_first = 0; /* the queue is argument 0: before 5.11 (a54895fa057c) */
const volatile u32 has_start = 1; /* the kernel has block_io_start */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
};

/* Before 5.17 (f3fa33acca9f, "block: remove the ->rq_disk field in struct request"). */
struct request___disk {
	struct gendisk *rq_disk;
};

#pragma clang attribute pop

/* A request that is not complete yet. */
struct pending {
	u64 since; /* when it was made */
	u64 issued; /* when it went to the device; 0 if it has not yet */
	u64 stack;
	u64 bytes; /* done so far */
	u32 tid;
	u32 pad;
};

/* By address. The kernel uses the same requests again and again, so there are never many. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct pending);
} pending_requests SEC(".maps");

/* The detail of a sum: the device's number, and above it: */
#define DETAIL_BUCKET 32 /* six bits: the bucket of the device's time */
#define DETAIL_FAILED (1ULL << 38)
#define DETAIL_QUEUED (1ULL << 39) /* this sum has the time in queues as its value, nothing else */
#define DETAIL_OPERATION 40 /* eight bits: enum req_op */
#define OPERATION_MASK 0xff /* of cmd_flags */

static __always_inline u64 request_of(u64 *ctx)
{
	return queue_first ? ARGUMENT(ctx, 1) : ARGUMENT(ctx, 0);
}

static __always_inline u32 device_of(struct request *request)
{
	struct gendisk *disk;

	if (bpf_core_field_exists(struct request___disk, rq_disk))
		disk = BPF_CORE_READ((struct request___disk *)request, rq_disk);
	else
		disk = BPF_CORE_READ(request, q, disk);
	return disk ? (u32)BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor) : 0;
}

/* The current task makes a request. */
static __always_inline void begin(void *ctx, u64 request, bool issued)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct pending pending = { .tid = id };
	struct user_registers user = {};

	/* A request still known at this address has ended: it was merged into another one. */
	if (!watched(task, id >> 32, id)) {
		bpf_map_delete_elem(&pending_requests, &request);
		return;
	}
	current_registers(task, &user);
	pending.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_AT_CTX);
	pending.since = bpf_ktime_get_ns();
	pending.issued = issued ? pending.since : 0;
	if (!pending.stack)
		count(COUNT_DUE); /* as lost; kept, so that its end is not taken for another's */
	if (bpf_map_update_elem(&pending_requests, &request, &pending, BPF_ANY) && pending.stack) {
		count(COUNT_DUE);
		count(COUNT_LOST_CALLS);
	}
}

static __always_inline int on_start(u64 *ctx)
{
	begin(ctx, ctx[0], false);
	return 0;
}

static __always_inline int on_insert(u64 *ctx)
{
	u64 request = request_of(ctx);

	/* Unless it is known: a request that comes back from the device is queued again. */
	if (!has_start && !bpf_map_lookup_elem(&pending_requests, &request))
		begin(ctx, request, false);
	return 0;
}

static __always_inline int on_issue(u64 *ctx)
{
	u64 request = request_of(ctx);
	struct pending *pending = bpf_map_lookup_elem(&pending_requests, &request);

	if (pending)
		pending->issued = bpf_ktime_get_ns();
	else if (!has_start)
		begin(ctx, request, true);
	return 0;
}

static __always_inline int on_complete(u64 *ctx)
{
	u64 address = request_of(ctx), now, took;
	struct request *request = (struct request *)address;
	u32 failed = queue_first ? ARGUMENT(ctx, 2) : ARGUMENT(ctx, 1);
	u32 bytes = queue_first ? ARGUMENT(ctx, 3) : ARGUMENT(ctx, 2);
	struct pending *pending = bpf_map_lookup_elem(&pending_requests, &address);
	struct sum_key key = { .kind = RECORD_BLOCK };

	if (!pending)
		return 0;
	pending->bytes += bytes;
	if (bytes < BPF_CORE_READ(request, __data_len))
		return 0; /* the rest comes later */
	now = bpf_ktime_get_ns();
	took = now - (pending->issued ?: pending->since);
	key.stack = pending->stack;
	key.tid = pending->tid;
	key.detail = device_of(request) | (u64)bucket(took) << DETAIL_BUCKET |
		     (failed ? DETAIL_FAILED : 0) |
		     (u64)(BPF_CORE_READ(request, cmd_flags) & OPERATION_MASK) << DETAIL_OPERATION;
	if (key.stack) {
		count(COUNT_DUE);
		add_sum(&key, 1, pending->bytes, took);
		key.detail |= DETAIL_QUEUED;
		if (pending->issued > pending->since)
			add_sum(&key, 0, pending->issued - pending->since, 0);
	}
	bpf_map_delete_elem(&pending_requests, &address);
	return 0;
}

TRACEPOINT(block_io_start, on_start)
TRACEPOINT(block_rq_insert, on_insert)
TRACEPOINT(block_rq_issue, on_issue)
TRACEPOINT(block_rq_complete, on_complete)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
