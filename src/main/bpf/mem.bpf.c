// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that programs allocate: probes on the functions of their allocators. The traps are what it
 * costs, so there is one where a function is entered, one where it returns, and one for a free.
 */
#include "calls.h"

/* What a thread is about to get: from the entry of the outermost allocating function to its return. */
struct call {
	u64 sp; /* at the entry; 0 when it has returned */
	u64 size;
	u64 stack;
	u64 address; /* of realloc: the old block; of posix_memalign: where the new one's is put; of NEWS: its own */
	u64 way_back; /* of NEWS: what lies at sp */
	u32 function;
	u32 counted; /* by the function that has called it */
};

enum function {
	ALLOCATES,
	REALLOCATES,
	PUTS, /* the address into memory: posix_memalign */
	MAPS,
	NEWS, /* may throw an exception, so that nobody looks at its return */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct call);
} calls SEC(".maps");

/* By address space: owner_of. */
struct block_key {
	u64 address;
	u64 process;
};

/* A block of memory. One that was freed is remembered, as long as there is room, to tell double frees. */
struct block {
	u64 size;
	u64 stack; /* that allocated it; 0 if it was lost */
	u64 time; /* when; of one that was freed, when that was */
	u64 freed; /* the stack that freed it; 0: it is in use */
	u32 tid;
	u32 freed_at; /* who called to free it, in short */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4 << 20);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_key);
	__type(value, struct block);
} blocks SEC(".maps");

/* Freed blocks are forgotten while there are more than that. */
const volatile u64 max_remembered = 1 << 18;

s64 block_count = 0;

/* When an allocation was last missed: what was freed before may have been allocated again since. */
volatile u64 unseen = 0;

/* Whether all threads of a process are watched, so that none can allocate unseen. */
static __always_inline bool sees_processes(void)
{
	return !filter_tids && !filter_comm[0];
}

/* The detail of sums that count frees of blocks that nothing is known of. */
#define DETAIL_UNKNOWN_FREE 1

/*
 * Whose memory a task uses. Numbers of processes come again, and exec makes another one of a process:
 * process_of tells them apart. A child of vfork uses its parent's until it execs.
 */
static __always_inline u64 owner_of(struct task_struct *task, u32 tgid)
{
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);

	if (BPF_CORE_READ(parent, mm) == BPF_CORE_READ(task, mm))
		return process_of(parent, BPF_CORE_READ(parent, tgid));
	return process_of(task, tgid);
}

/* A double free. */
struct mem_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 address;
	u64 size;
	u64 allocated; /* the stack that did it */
	u64 freed; /* the stack of the first free */
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
 * Who has called the function that was just entered, from where on the stack. One function to free may
 * jump on to another, which has the same caller then.
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

/* Whether a process runs another program than its parent: all that it has it has allocated itself. */
static __always_inline bool has_execed(struct task_struct *task)
{
	return BPF_CORE_READ(task, self_exec_id) != BPF_CORE_READ(task, parent_exec_id);
}

/* A block is given back. What is not known was allocated before we looked, or never. */
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

/* A block whose stack was lost is kept as well: else its free would seem to be a mistake. */
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
		count(COUNT_LOST_BLOCKS); /* and nothing is remembered of it that could be wrong */
	else
		__sync_fetch_and_add(&block_count, 1);
}

/*
 * Whether a call that has begun goes on: an allocator may use itself, or jump from one function to
 * another. A call that an exception or a longjmp has ended does not: its place on the stack was given
 * to others, which have put something else where the way back through the kernel was.
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

static __always_inline void lose_call(void)
{
	count(COUNT_LOST_CALLS);
	unseen = bpf_ktime_get_ns();
}

/*
 * Whether an operator new that was entered goes on, which has come to a function of C then. When it has
 * returned, the next call of its caller has put another address on the stack.
 */
static __always_inline bool is_within_new(struct call *call, u64 sp)
{
#if defined(__TARGET_ARCH_x86)
	u64 lies_there = 0;

	return call && call->function == NEWS && call->sp >= sp && call->sp - sp < 4096 &&
	       !bpf_probe_read_user(&lies_there, sizeof(lies_there), (void *)call->sp) &&
	       lies_there == call->way_back;
#else
	return false; /* where it has put its way back nobody knows: such programs count twice */
#endif
}

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
 * An operator new that throws std::bad_alloc must not have its return probed: exceptions cannot pass the
 * address that the kernel puts on the stack for that. What it allocates counts here; where, is not known.
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
	/* One of them may call or jump to another; one that is called again from there is the same. */
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

/* A realloc that failed leaves the old block as it was. */
static __always_inline void restore(struct task_struct *task, u64 id, struct call *call)
{
	struct block_key key = { call->address, owner_of(task, id >> 32) };
	struct block *block = bpf_map_lookup_elem(&blocks, &key);

	if (block)
		block->freed = 0;
}

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
		return 0; /* the allocator's own */
	release(ctx, task, id, FIRST(ctx));
	return 0;
}

/* Parts of mappings may be given back, or what the program was started with: that is no mistake. */
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
