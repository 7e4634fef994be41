// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that the kernel allocates: objects (kmalloc and slab caches) and pages, per stack. What is
 * allocated during recording is remembered until somebody frees it.
 */
#include "sums.h"

/* The detail of a sum; dev.plumb.collect.memory.KernelMemoryCollector has the same bits. */
#define DETAIL_PAGES 1 /* pages, not objects */
#define DETAIL_NODE 2 /* the NUMA node of the pages is known: its number is above */
#define DETAIL_REMOTE 4 /* it is not the node of the CPU that allocates them */
#define DETAIL_NODE_SHIFT 8

const volatile bool several_nodes = false;

/* Which argument is the number of bytes allocated, in all tracepoints that have it. */
#define SIZE_IN_CACHE 0 /* none: since 6.1, kmem_cache_alloc passes the cache instead */
const volatile u32 kmalloc_size_at = 3;
const volatile u32 cache_size_at = SIZE_IN_CACHE;

#define ZERO_SIZE 16 /* the kernel's ZERO_SIZE_PTR, for allocations of no bytes */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kmem_cache {
	unsigned int size;
	struct kmem_cache_node *node[1]; /* MAX_NUMNODES of them */
};

#pragma clang attribute pop

/* Memory that is allocated and not freed. dev.plumb.collect.memory.KernelMemoryCollector reads it. */
struct live {
	u64 amount; /* bytes, or pages */
	u64 stack;
	u64 time;
	u32 tid;
	u32 detail;
};

/* By address. Preallocated, because an allocation by the map would come here again. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 19);
	__type(key, u64);
	__type(value, struct live);
} live_memory SEC(".maps");

/* Where interrupts() turns ctx into a scalar. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} contexts SEC(".maps");

/* Whether an interrupt allocates. That has nothing to do with the task that it interrupted. */
static __always_inline bool interrupts(void *ctx, struct task_struct *task)
{
	u64 bottom = (u64)BPF_CORE_READ(task, stack), at;
	u32 zero = 0;
	u64 *number = bpf_map_lookup_elem(&contexts, &zero);

	if (!number)
		return false;
	*number = (u64)ctx; /* read back, it is a scalar, on which arithmetic is allowed */
	barrier_var(number);
	at = *(volatile u64 *)number;
	return at < bottom || at >= bottom + KERNEL_STACK_SIZE;
}

/* Argument 1, a const void *, which 5.10 does not let tp_btf programs load directly. */
static __always_inline u64 object_of(u64 *ctx)
{
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &ctx[1]);
	return address;
}

/*
 * The first word of a struct page, its flags, has the node in its highest bits: as many as
 * MAX_NUMNODES needs.
 */
static __always_inline u32 detail_of_pages(u64 page)
{
	u64 flags, nodes, node;

	if (!several_nodes || !bpf_core_field_exists(struct kmem_cache, node) ||
	    bpf_probe_read_kernel(&flags, sizeof(flags), (void *)page))
		return DETAIL_PAGES;
	nodes = bpf_core_field_size(struct kmem_cache, node) / sizeof(void *);
	node = (flags >> 32) * nodes >> 32;
	return DETAIL_PAGES | DETAIL_NODE | (node == bpf_get_numa_node_id() ? 0 : DETAIL_REMOTE) |
	       node << DETAIL_NODE_SHIFT;
}

/*
 * Memory is allocated. place says who in the kernel asked for it, as far as the tracepoint tells:
 * one user stack leads to allocations in many places (find_stack_at).
 */
static __always_inline void allocate(u64 *ctx, u64 place, u64 address, u64 amount, u32 detail)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct live live = { .amount = amount, .tid = id, .detail = detail }, *known;
	struct sum_key key = { .tid = id, .kind = RECORD_KMEM, .detail = detail };
	struct user_registers user = {};
	bool interrupt;

	if (address <= ZERO_SIZE)
		return;
	known = bpf_map_lookup_elem(&live_memory, &address);
	interrupt = interrupts(ctx, task);
	if (!watched(task, id >> 32, id) || (interrupt && (filter_tgids || filter_tids))) {
		if (known) /* that memory was freed unseen, in bulk */
			bpf_map_delete_elem(&live_memory, &address);
		return;
	}
	if (!interrupt)
		current_registers(task, &user);
	live.stack = take_task_stack_at(ctx, task, id >> 32, &user, KERNEL_AT_CTX, place);
	if (!live.stack)
		return; /* counted when it was lost */
	live.time = bpf_ktime_get_ns();
	key.stack = live.stack;
	add_sum(&key, 1, amount, 0);
	if (bpf_map_update_elem(&live_memory, &address, &live, BPF_ANY))
		count(COUNT_LOST_BLOCKS);
}

static __always_inline void release(u64 address)
{
	if (address > ZERO_SIZE)
		bpf_map_delete_elem(&live_memory, &address);
}

static __always_inline int on_kmalloc(u64 *ctx)
{
	u64 size = kmalloc_size_at == 3 ? ARGUMENT(ctx, 3) : ARGUMENT(ctx, 4);

	allocate(ctx, ctx[0], object_of(ctx), size, 0);
	return 0;
}

static __always_inline int on_cache_alloc(u64 *ctx)
{
	u64 size;

	if (cache_size_at == SIZE_IN_CACHE)
		size = BPF_CORE_READ((struct kmem_cache *)ctx[2], size);
	else
		size = cache_size_at == 3 ? ARGUMENT(ctx, 3) : ARGUMENT(ctx, 4);
	allocate(ctx, ctx[0], object_of(ctx), size, 0);
	return 0;
}

static __always_inline int on_kmalloc_node(u64 *ctx)
{
	return on_kmalloc(ctx);
}

static __always_inline int on_cache_alloc_node(u64 *ctx)
{
	return on_cache_alloc(ctx);
}

static __always_inline int on_kfree(u64 *ctx)
{
	release(object_of(ctx));
	return 0;
}

static __always_inline int on_cache_free(u64 *ctx)
{
	release(object_of(ctx));
	return 0;
}

static __always_inline int on_page_alloc(u64 *ctx)
{
	allocate(ctx, ctx[2], ctx[0], 1ULL << (ctx[1] & 31), detail_of_pages(ctx[0]));
	return 0;
}

static __always_inline int on_page_free(u64 *ctx)
{
	release(ctx[0]);
	return 0;
}

TRACEPOINT(kmalloc, on_kmalloc)
TRACEPOINT(kmalloc_node, on_kmalloc_node)
TRACEPOINT(kmem_cache_alloc, on_cache_alloc)
TRACEPOINT(kmem_cache_alloc_node, on_cache_alloc_node)
TRACEPOINT(kfree, on_kfree)
TRACEPOINT(kmem_cache_free, on_cache_free)
TRACEPOINT(mm_page_alloc, on_page_alloc)
TRACEPOINT(mm_page_free, on_page_free)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
