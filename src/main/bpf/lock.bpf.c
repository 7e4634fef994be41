// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Locks: how long threads wait for locks of programs (futexes) and of the kernel (contention_begin,
 * contention_end), by stack, lock and holder (holders.h); and with which stacks programs release
 * futexes. Every wait counts; a lock without contention costs nothing.
 */
#include "holders.h"

const volatile u64 min_block_ns = 0;
const volatile u64 max_block_ns = ~0ULL;

/* The detail of a sum: the address of a futex, a hash with DETAIL_HELD (holders.h), or one of: */
#define DETAIL_WAKE (1ULL << 60) /* with the address of a futex: it was released */
#define DETAIL_KERNEL (2ULL << 60) /* with the tracepoint's flags: a kernel lock */

#define FUTEX_COMMANDS 0x7f
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_WAKE_OP 5
#define FUTEX_LOCK_PI 6
#define FUTEX_UNLOCK_PI 7
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAKE_BITSET 10
#define FUTEX_LOCK_PI2 13

/* The futex system call in which a thread is. */
struct futex_call {
	u64 since; /* 0: in none */
	u64 address;
	u64 mutex; /* the key in holdings; 0 if this is no mutex that names its owner */
	u32 wakes; /* a release, not a wait */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct futex_call);
} futex_calls SEC(".maps");

/*
 * Identifies a wait for a kernel lock. The lock is part of the key: while a thread waits for one,
 * an interrupt may wait for another.
 */
struct contention_key {
	u64 lock;
	u32 tid;
	u32 cpu; /* of the idle tasks, whose tid is 0 */
};

struct contention {
	u64 since;
	u64 flags;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct contention_key);
	__type(value, struct contention);
} contentions SEC(".maps");

struct syscall_enter {
	u64 common;
	long number;
	u64 args[6];
};

struct syscall_exit {
	u64 common;
	long number;
	long result;
};

SEC("tp/syscalls/sys_enter_futex")
int on_enter(struct syscall_enter *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;
	struct futex_call *known, call = { .address = ctx->args[0] };
	bool word_is_owner = false;

	switch (ctx->args[1] & FUTEX_COMMANDS) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		break;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		word_is_owner = true;
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_OP:
	case FUTEX_WAKE_BITSET:
	case FUTEX_UNLOCK_PI:
		call.wakes = 1;
		break;
	default:
		return 0;
	}
	if (!watched(task, id >> 32, tid))
		return 0;
	call.since = bpf_ktime_get_ns();
	if (!call.wakes) {
		u32 owner = owner_of_mutex(call.address, word_is_owner);

		if (owner) {
			call.mutex = mix(process_of(task, id >> 32), call.address) ?: 1;
			note_holder(call.mutex, call.since, owner, own_number(task), false);
		}
	}
	known = bpf_map_lookup_elem(&futex_calls, &tid);
	if (known)
		*known = call;
	else if (bpf_map_update_elem(&futex_calls, &tid, &call, BPF_ANY) && !call.wakes) {
		count(COUNT_DUE);
		count(COUNT_LOST_CALLS);
	}
	return 0;
}

#define EAGAIN 11

static __always_inline void add_wait(struct sum_key *key, struct stretch *stretch, u64 since, u64 now)
{
	count(COUNT_DUE);
	if (key->stack)
		add_stretches(key, stretch, since, now);
	else
		count(COUNT_LOST_STACKS);
}

SEC("tp/syscalls/sys_exit_futex")
int on_leave(struct syscall_exit *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), since, now;
	u32 tid = id;
	struct futex_call *call = bpf_map_lookup_elem(&futex_calls, &tid);
	struct sum_key key = { .tid = tid, .kind = RECORD_LOCK };
	struct user_registers user = {};
	struct stretch stretch = {};
	bool wakes;

	if (!call || !call->since)
		return 0;
	since = call->since;
	call->since = 0;
	/* Nobody was woken, or the wait did not begin because the futex word had changed. */
	if (call->wakes ? ctx->result <= 0 : ctx->result == -EAGAIN)
		return 0;
	now = bpf_ktime_get_ns();
	wakes = call->wakes;
	stretch.mutex = call->mutex;
	stretch.address = call->address;
	if (wakes || (now - since >= min_block_ns && now - since <= max_block_ns)) {
		current_registers(task, &user);
		key.stack = find_task_stack(ctx, task, id >> 32, &user, KERNEL_NONE);
		key.detail = stretch.address | DETAIL_WAKE;
		if (wakes && key.stack)
			add_sum(&key, 0, 1, 0); /* counts as a value, not as an event */
		if (!wakes)
			add_wait(&key, &stretch, since, now);
	}
	if (stretch.mutex && !ctx->result) {
		u32 self = own_number(task);

		note_holder(stretch.mutex, now, self, self, true);
	}
	return 0;
}

static __always_inline void contention_key_of(u64 lock, u32 tid, struct contention_key *key)
{
	key->lock = lock;
	key->tid = tid;
	key->cpu = tid ? 0 : bpf_get_smp_processor_id();
}

static __always_inline int on_begin(u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct contention contention = { .flags = (u32)ctx[1] };
	struct contention_key key;

	if (!watched(task, id >> 32, id))
		return 0;
	contention_key_of(ctx[0], id, &key);
	contention.since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&contentions, &key, &contention, BPF_ANY)) {
		count(COUNT_DUE);
		count(COUNT_LOST_CALLS);
	}
	return 0;
}

static __always_inline int on_end(u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), waited;
	struct sum_key sum = { .tid = id, .kind = RECORD_LOCK };
	struct user_registers user = {};
	struct contention *known;
	struct contention_key key;

	contention_key_of(ctx[0], id, &key);
	known = bpf_map_lookup_elem(&contentions, &key);
	if (!known)
		return 0;
	waited = bpf_ktime_get_ns() - known->since;
	sum.detail = DETAIL_KERNEL | known->flags;
	bpf_map_delete_elem(&contentions, &key);
	if (waited < min_block_ns || waited > max_block_ns)
		return 0;
	count(COUNT_DUE);
	current_registers(task, &user);
	sum.stack = take_stack(ctx, SCRATCH_IRQ, task, id >> 32, &user, KERNEL_AT_CTX);
	if (sum.stack)
		add_sum(&sum, 1, waited, 0);
	return 0;
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&futex_calls, &tid);
	return 0;
}

TRACEPOINT(sched_process_exit, on_exit)
TRACEPOINT(contention_begin, on_begin)
TRACEPOINT(contention_end, on_end)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
