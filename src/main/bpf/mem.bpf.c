// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that programs allocate, by probes on the functions of their allocators. Nearly all of the
 * cost is traps, so there is one when an allocating function is entered, one when it returns, and
 * one for a free.
 */
#include "calls.h"

/* An allocation in progress: from the entry of the outermost allocating function to its return. */
struct call {
	u64 sp; /* at the entry; 0 once it has returned */
	u64 size;
	u64 stack;
	u64 address; /* REALLOCATES: the old block; PUTS: where to store; NEWS: the function */
	u64 way_back; /* NEWS: the return address */
	u32 function;
	u32 counted; /* the operator new that called it has counted it */
};

/* What an allocating function does. */
enum function {
	ALLOCATES,
	REALLOCATES,
	PUTS, /* writes the address to memory: posix_memalign */
	MAPS,
	NEWS, /* may throw an exception, so its return is not probed */
};

/* By thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct call);
} calls SEC(".maps");

struct block_key {
	u64 address;
	u64 process; /* owner_of() */
};

/*
 * A block of memory. A freed block is remembered as long as there is room, so that double frees are
 * recognised.
 */
struct block {
	u64 size;
	u64 stack; /* which allocated it; 0 if it was lost */
	u64 time; /* of the allocation, later of the free */
	u64 freed; /* the stack that freed it; 0: it is in use */
	u32 tid;
	u32 freed_at; /* call_site() of the free */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4 << 20);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_key);
	__type(value, struct block);
} blocks SEC(".maps");

/* While there are more blocks than this, freed ones are not remembered. */
const volatile u64 max_remembered = 1 << 18;

s64 block_count = 0;

/* When an allocation was last missed: it may have reused any block that was freed before. */
volatile u64 unseen = 0;

/* Whether all threads of a process are watched, so that none can allocate unseen. */
static __always_inline bool sees_processes(void)
{
	return !filter_tids && !filter_comm[0];
}

/* The detail of sums that count frees of unknown blocks. */
#define DETAIL_UNKNOWN_FREE 1

/*
 * The process whose memory a task uses, as process_of() identifies it: pids are reused, and an exec
 * makes a new address space. A child of vfork uses its parent's memory until it execs.
 */
static __always_inline u64 owner_of(struct task_struct *task, u32 tgid)
{
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);

	if (BPF_CORE_READ(parent, mm) == BPF_CORE_READ(task, mm))
		return process_of(parent, BPF_CORE_READ(parent, tgid));
	return process_of(task, tgid);
}

/* A double free, sent when it happens. */
struct mem_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 address;
	u64 size;
	u64 allocated; /* the stack that allocated the block */
	u64 freed; /* the stack that freed it first */
};

static __always_inline void send_double_free(u64 id, struct block_key *key, u64 stack,
					     struct block *block)
{
	struct mem_record record = {
		.kind = RECORD_MEM,
		.time = bpf_ktime_get_ns(),
		.tgid = id >> 32,
		.tid = id,
		.stack = stack,
		.address = key->address,
		.size = block->size,
		.allocated = block->stack,
		.freed = block->freed,
	};

	send(&record, sizeof(record));
}

/*
 * A hash of the caller of a function that was just entered, and of its place on the stack. It is
 * the same when one function that frees jumps to another one: that is no second free.
 */
static __always_inline u32 call_site(struct pt_regs *ctx, u64 id)
{
	u64 way_back = 0;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_user(&way_back, sizeof(way_back), (void *)SP(ctx));
#elif defined(__TARGET_ARCH_arm64)
	way_back = ctx->user_regs.regs[30];
#endif
	return mix(mix(SP(ctx), way_back), (u32)id);
}

/* Whether a process has exec'd since it was forked: then it has allocated all its memory itself. */
static __always_inline bool has_execed(struct task_struct *task)
{
	return BPF_CORE_READ(task, self_exec_id) != BPF_CORE_READ(task, parent_exec_id);
}

/* A block is freed. If it is unknown, it was allocated before recording began, or never. */
static __always_inline void release(struct pt_regs *ctx, struct task_struct *task, u64 id,
				    u64 address)
{
	struct block_key key = { address, owner_of(task, id >> 32) };
	struct block *block;
	u64 stack;
	u32 site;

	if (!address)
		return;
	block = bpf_map_lookup_elem(&blocks, &key);
	stack = stack_of(ctx, task, id >> 32);
	if (!block) {
		struct sum_key sum = { .stack = stack, .tid = id, .kind = RECORD_MEM };

		sum.detail = DETAIL_UNKNOWN_FREE;
		if (stack && sees_processes() && has_execed(task))
			add_sum(&sum, 1, 0, 0);
		return;
	}
	site = call_site(ctx, id);
	if (block->freed) {
		if (block->freed_at != site && block->time > unseen && sees_processes())
			send_double_free(id, &key, stack, block);
		return;
	}
	if (block_count > (s64)max_remembered) {
		if (!bpf_map_delete_elem(&blocks, &key))
			__sync_fetch_and_add(&block_count, -1);
		return;
	}
	block->freed_at = site;
	block->time = bpf_ktime_get_ns();
	block->freed = stack ?: 1;
}

/* A block is allocated. One whose stack was lost is kept, too: else its free would look invalid. */
static __always_inline void obtain(struct task_struct *task, u64 id, struct call *call, u64 address)
{
	struct block_key key = { address, owner_of(task, id >> 32) };
	struct sum_key sum = { .stack = call->stack, .tid = id, .kind = RECORD_MEM };
	struct block block = {
		.size = call->size,
		.stack = call->stack,
		.time = bpf_ktime_get_ns(),
		.tid = id,
	};
	struct block *known;

	if (call->stack && !call->counted)
		add_sum(&sum, 1, call->size, 0);
	known = bpf_map_lookup_elem(&blocks, &key);
	if (known)
		*known = block;
	else if (bpf_map_update_elem(&blocks, &key, &block, BPF_ANY))
		count(COUNT_LOST_BLOCKS); /* leaves no stale entry for this address behind */
	else
		__sync_fetch_and_add(&block_count, 1);
}

/*
 * Whether a call that has begun still runs: an allocator may call itself, or jump from one function
 * to another. On x86 this also detects a call that an exception or a longjmp has ended: others use
 * its place on the stack, and the address of the uretprobe trampoline is gone.
 */
static __always_inline bool goes_on(struct call *call, struct task_struct *task, u64 sp)
{
#if defined(__TARGET_ARCH_x86)
	u64 way_back, trampoline;

	if (!call || call->sp < sp || call->function == NEWS)
		return false;
	trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	return bpf_probe_read_user(&way_back, sizeof(way_back), (void *)call->sp) ||
	       way_back == trampoline;
#else
	return call && call->sp > sp && call->function != NEWS;
#endif
}

/* Counts an allocation that is lost because there is no room to remember the call. */
static __always_inline void lose_call(void)
{
	count(COUNT_LOST_CALLS);
	unseen = bpf_ktime_get_ns();
}

/*
 * Whether the function that is being entered was called by an operator new that still runs, as
 * malloc is. Had that returned, its caller's next call would have put another return address on the
 * stack.
 */
static __always_inline bool is_within_new(struct call *call, u64 sp)
{
#if defined(__TARGET_ARCH_x86)
	u64 lies_there = 0;

	return call && call->function == NEWS && call->sp >= sp && call->sp - sp < 4096 &&
	       !bpf_probe_read_user(&lies_there, sizeof(lies_there), (void *)call->sp) &&
	       lies_there == call->way_back;
#else
	return false; /* where it saves its return address is unknown: such calls count twice */
#endif
}

/* The entry of an allocating function whose return is probed. */
static __always_inline int enter(struct pt_regs *ctx, u32 function, u64 size, u64 address)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), sp = SP(ctx);
	u32 tid = id;
	struct call *known, call = { .size = size, .function = function, .address = address };

	if (!watched(task, id >> 32, tid))
		return 0;
	known = bpf_map_lookup_elem(&calls, &tid);
	if (goes_on(known, task, sp))
		return 0;
	if (function == REALLOCATES)
		release(ctx, task, id, address);
	call.sp = sp;
	call.stack = stack_of(ctx, task, id >> 32);
	call.counted = is_within_new(known, sp);
	if (known)
		*known = call;
	else if (bpf_map_update_elem(&calls, &tid, &call, BPF_ANY))
		lose_call();
	return 0;
}

/*
 * The entry of an operator new that may throw std::bad_alloc. Its return must not be probed: an
 * exception cannot be unwound past the trampoline's address on the stack. So the allocation counts
 * here, and the block's address stays unknown.
 */
static __always_inline int enter_new(struct pt_regs *ctx, u64 size)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), sp = SP(ctx);
	struct sum_key sum = { .tid = id, .kind = RECORD_MEM };
	struct call *known, call = { .sp = sp, .function = NEWS, .address = PC(ctx) };
	u32 tid = id;

	if (!watched(task, id >> 32, tid))
		return 0;
	known = bpf_map_lookup_elem(&calls, &tid);
	if (goes_on(known, task, sp))
		return 0;
	/*
	 * One operator new may call or jump to another; these count once. The same function at the
	 * same sp is a new call from the same place.
	 */
	if (is_within_new(known, sp) && (known->sp != sp || known->address != call.address))
		return 0;
#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_user(&call.way_back, sizeof(call.way_back), (void *)sp);
#endif
	if (known)
		*known = call;
	else if (bpf_map_update_elem(&calls, &tid, &call, BPF_ANY))
		lose_call();
	sum.stack = stack_of(ctx, task, id >> 32);
	if (sum.stack)
		add_sum(&sum, 1, size, 0);
	return 0;
}

/* A failed realloc leaves the old block in use. */
static __always_inline void restore(struct task_struct *task, u64 id, struct call *call)
{
	struct block_key key = { call->address, owner_of(task, id >> 32) };
	struct block *block = bpf_map_lookup_elem(&blocks, &key);

	if (block)
		block->freed = 0;
}

/* The return of an allocating function. */
static __always_inline int leave(struct pt_regs *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), address = RESULT(ctx);
	u32 tid = id;
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	if (!call || !call->sp || call->function == NEWS || SP_AFTER(call) != SP(ctx))
		return 0;
	call->sp = 0;
	if (call->function == PUTS) {
		if (address || bpf_probe_read_user(&address, sizeof(address), (void *)call->address))
			return 0;
	}
	if (call->function == MAPS && address > -4096UL)
		return 0;
	if (address)
		obtain(task, id, call, address);
	else if (call->function == REALLOCATES && call->size)
		restore(task, id, call);
	return 0;
}

SEC("uprobe.multi")
int on_malloc(struct pt_regs *ctx)
{
	return enter(ctx, ALLOCATES, FIRST(ctx), 0);
}

SEC("uprobe.multi")
int on_calloc(struct pt_regs *ctx)
{
	return enter(ctx, ALLOCATES, FIRST(ctx) * SECOND(ctx), 0);
}

SEC("uprobe.multi")
int on_memalign(struct pt_regs *ctx)
{
	return enter(ctx, ALLOCATES, SECOND(ctx), 0);
}

SEC("uprobe.multi")
int on_realloc(struct pt_regs *ctx)
{
	return enter(ctx, REALLOCATES, SECOND(ctx), FIRST(ctx));
}

SEC("uprobe.multi")
int on_reallocarray(struct pt_regs *ctx)
{
	return enter(ctx, REALLOCATES, SECOND(ctx) * THIRD(ctx), FIRST(ctx));
}

SEC("uprobe.multi")
int on_posix_memalign(struct pt_regs *ctx)
{
	return enter(ctx, PUTS, THIRD(ctx), FIRST(ctx));
}

SEC("uprobe.multi")
int on_new(struct pt_regs *ctx)
{
	return enter_new(ctx, FIRST(ctx));
}

SEC("uprobe.multi")
int on_mmap(struct pt_regs *ctx)
{
	return enter(ctx, MAPS, SECOND(ctx), 0);
}

SEC("uprobe.multi")
int on_free(struct pt_regs *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), sp = SP(ctx);
	u32 tid = id;
	struct call *call;

	if (!watched(task, id >> 32, tid))
		return 0;
	call = bpf_map_lookup_elem(&calls, &tid);
	if (goes_on(call, task, sp))
		return 0; /* called by the allocator itself */
	release(ctx, task, id, FIRST(ctx));
	return 0;
}

/* An unknown address is no error here: programs unmap parts of mappings, and what exec mapped. */
SEC("uprobe.multi")
int on_munmap(struct pt_regs *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct block_key key = { FIRST(ctx), owner_of(task, id >> 32) };
	struct block *block;

	if (!watched(task, id >> 32, id))
		return 0;
	block = bpf_map_lookup_elem(&blocks, &key);
	if (block && !block->freed && block->size <= SECOND(ctx) &&
	    !bpf_map_delete_elem(&blocks, &key))
		__sync_fetch_and_add(&block_count, -1);
	return 0;
}

SEC("uretprobe.multi")
int on_return(struct pt_regs *ctx)
{
	return leave(ctx);
}

static __always_inline int on_exit(u64 *ctx)
{
	u32 tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);

	bpf_map_delete_elem(&calls, &tid);
	return 0;
}

TRACEPOINT(sched_process_exit, on_exit)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
