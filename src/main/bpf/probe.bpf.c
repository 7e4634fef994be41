// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Probes that the user names: tracepoints, system calls, functions of programs and of the kernel,
 * USDT probes, perf counters. Counts events per stack; for calls, adds up the time until they
 * return. Each mode has an object of its own or, where there are no cookies, one per plan.
 */
#include "arguments.h"
#include "interrupted.h"

const volatile u32 kind = RECORD_PROBE; /* of this mode's sums and records */
const volatile bool timed = false; /* from entry to return */
const volatile bool by_cookie = false; /* the link's cookie is plan << 32 | probe */
const volatile bool with_arguments = false;
const volatile bool one_by_one = false; /* perf counters: send each event instead of sums */
const volatile bool at_entry = false; /* x86: uprobes are at the first instruction of functions */
const volatile u32 only_plan = 0; /* the plan where there are no cookies */

/* Identifies a call that has begun, at its entry and at its return. */
struct call_key {
	u64 place; /* of its frame on the stack: tells recursive calls apart */
	u32 owner; /* the process or thread that the stack belongs to; 0 for kernel functions */
	u32 probe;
};

/* A call that has begun. */
struct call {
	u64 since;
	u64 stack;
	u64 detail;
	u32 tid;
	u32 tgid;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, struct call_key);
	__type(value, struct call);
} calls SEC(".maps");

/* An event, with one_by_one. */
struct probe_record {
	u32 kind;
	u32 cpu;
	u64 time;
	u32 tgid;
	u32 tid;
	u64 stack;
	u64 detail;
	u64 value;
};

static __always_inline u64 cookie_of(void *ctx)
{
	if (by_cookie && bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie))
		return bpf_get_attach_cookie(ctx);
	return (u64)only_plan << 32;
}

/* Not inlined, so that its BPF stack space is free again on return: 5.10 counts all of a frame. */
static __noinline int add(struct sum_key *key, u64 value)
{
	add_sum(key, 1, value, 0);
	return 0;
}

/*
 * Reads the arguments and derives the detail from them. Returns false if the event does not pass
 * the filter, or if its detail is lost.
 */
static __always_inline bool take_arguments(void *ctx, u32 slot, u64 cookie, u64 *detail)
{
	u32 plan_number = cookie >> 32;
	struct detail_record *d = bpf_map_lookup_elem(&details, &slot);
	struct plan *p = bpf_map_lookup_elem(&plans, &plan_number);

	if (!d || !p)
		return false;
#pragma unroll /* the 5.10 verifier does not track the loop's bound */
	for (u32 i = 0; i < MAX_ARGUMENTS; i++)
		if (i < p->arguments)
			read_argument(ctx, &p->argument[i], d->values[i]);
	if (!passes(slot, plan_number))
		return false;
	if (!p->labels) {
		*detail = (u64)(u32)cookie << 6;
		return true;
	}
	d->kind = kind;
	d->probe = cookie;
	d->detail = detail_of(slot, plan_number, cookie);
	*detail = d->detail;
	return send_detail(d);
}

/* Takes stack and arguments of an event. Returns false if it does not count or is lost. */
static __always_inline bool observe(void *ctx, struct task_struct *task, u64 id, u64 cookie,
				    struct user_registers *user, enum kernel_part part,
				    struct sum_key *key)
{
	u32 slot = claim_scratch();
	bool counts = true;

	if (slot == SCRATCH_SLOTS) {
		count(COUNT_LOST_CALLS);
		return false;
	}
	key->tid = id;
	key->kind = kind;
	key->detail = (u64)(u32)cookie << 6;
	if (with_arguments)
		counts = take_arguments(ctx, slot, cookie, &key->detail);
	if (counts)
		key->stack = take_stack(ctx, slot, task, id >> 32, user, part);
	release_scratch(slot);
	return counts && key->stack;
}

/*
 * An event: counts it, or with timed, remembers the start of a call until end_at() is called with
 * the same key. Not inlined, because many programs use it.
 */
static __noinline int begin_at(void *ctx, u64 cookie, struct call_key *from,
			       struct user_registers *user, enum kernel_part part)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct call call = {}, *before;
	struct sum_key key = {};

	if (!watched(task, id >> 32, id) || !observe(ctx, task, id, cookie, user, part, &key))
		return 0;
	if (!timed) {
		add(&key, 0);
		return 0;
	}
	call.stack = key.stack;
	call.detail = key.detail;
	before = bpf_map_lookup_elem(&calls, from);
	if (before) {
		/*
		 * The call at this place never returned: longjmp, an exception, the thread's end.
		 */
		key.stack = before->stack;
		key.detail = before->detail;
		key.tid = before->tid;
		add(&key, 0);
	}
	call.tid = id;
	call.tgid = id >> 32;
	call.since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&calls, from, &call, BPF_ANY))
		count(COUNT_LOST_CALLS);
	return 0;
}

static __always_inline int begin(void *ctx, u64 place, u32 owner, struct user_registers *user,
				 enum kernel_part part)
{
	u64 cookie = cookie_of(ctx);
	struct call_key from = { .place = place, .owner = owner, .probe = cookie };

	return begin_at(ctx, cookie, &from, user, part);
}

/* A call returns: adds its time. */
static __noinline int end_at(struct call_key *from)
{
	struct call *call = bpf_map_lookup_elem(&calls, from);
	struct sum_key key = { .kind = kind };
	u64 taken;

	if (!call)
		return 0; /* it began before recording did, or does not count */
	taken = bpf_ktime_get_ns() - call->since;
	key.stack = call->stack;
	key.tid = call->tid;
	key.detail = call->detail | bucket(taken);
	add(&key, taken);
	bpf_map_delete_elem(&calls, from);
	return 0;
}

static __always_inline int end(void *ctx, u64 place, u32 owner)
{
	struct call_key from = { .place = place, .owner = owner, .probe = cookie_of(ctx) };

	return end_at(&from);
}

#if defined(__TARGET_ARCH_x86)
#define STACK_POINTER(ctx) ((ctx)->sp)
#define RETURNED_FROM(ctx) ((ctx)->sp - 8) /* ret has popped the return address */
#elif defined(__TARGET_ARCH_arm64)
#define STACK_POINTER(ctx) ((ctx)->sp)
#define RETURNED_FROM(ctx) ((ctx)->sp)
#endif

static __always_inline void probed_registers(bpf_user_pt_regs_t *regs, struct user_registers *to)
{
#if defined(__TARGET_ARCH_x86)
	to->pc = regs->ip;
	to->sp = regs->sp;
	to->fp = regs->bp;
	to->bx = regs->bx;
	to->narrow = regs->cs == USER32_CS;
#elif defined(__TARGET_ARCH_arm64)
	to->pc = regs->pc;
	to->sp = regs->sp;
	to->fp = regs->regs[29];
#endif
}

/* Functions of programs. The process is owner enough: its threads' stacks do not overlap. */
static __always_inline int user_entry(bpf_user_pt_regs_t *ctx)
{
	struct user_registers user = {};

	probed_registers(ctx, &user);
	user.at_entry = at_entry;
	return begin(ctx, STACK_POINTER(ctx), bpf_get_current_pid_tgid() >> 32, &user, KERNEL_NONE);
}

static __always_inline int user_return(bpf_user_pt_regs_t *ctx)
{
	return end(ctx, RETURNED_FROM(ctx), bpf_get_current_pid_tgid() >> 32);
}

SEC("?uprobe")
int on_uprobe(bpf_user_pt_regs_t *ctx)
{
	return user_entry(ctx);
}

SEC("?uretprobe")
int on_uretprobe(bpf_user_pt_regs_t *ctx)
{
	return user_return(ctx);
}

SEC("?uprobe.multi")
int on_uprobes(bpf_user_pt_regs_t *ctx)
{
	return user_entry(ctx);
}

SEC("?uretprobe.multi")
int on_uretprobes(bpf_user_pt_regs_t *ctx)
{
	return user_return(ctx);
}

/* Not inlined, for the same reason as add(). */
static __noinline int task_registers(struct user_registers *to)
{
	current_registers((struct task_struct *)bpf_get_current_task(), to);
	return 0;
}

/* Functions of the kernel. */
SEC("?kprobe")
int on_kprobe(bpf_user_pt_regs_t *ctx)
{
	struct user_registers user = {};

	task_registers(&user);
	return begin(ctx, STACK_POINTER(ctx), 0, &user, KERNEL_ANYWHERE);
}

SEC("?kretprobe")
int on_kretprobe(bpf_user_pt_regs_t *ctx)
{
	return end(ctx, RETURNED_FROM(ctx), 0);
}

/*
 * For fentry and fexit, one trampoline calls both programs, with the arguments at the same place on
 * the stack. So ctx identifies the call, once it is a scalar: it is stored in a map and read back.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} pointers SEC(".maps");

static __always_inline u64 number_of(void *pointer)
{
	u32 zero = 0;
	u64 *kept = bpf_map_lookup_elem(&pointers, &zero);

	if (!kept)
		return 0;
	*kept = (u64)pointer;
	barrier_var(kept);
	return *(volatile u64 *)kept;
}

SEC("?fentry")
int on_fentry(u64 *ctx)
{
	struct user_registers user = {};

	task_registers(&user);
	return begin(ctx, number_of(ctx), 0, &user, KERNEL_ANYWHERE);
}

SEC("?fexit")
int on_fexit(u64 *ctx)
{
	return end(ctx, number_of(ctx), 0);
}

/* Tracepoints, and system calls by their tracepoints: a thread is in one system call at a time. */
SEC("?tp")
int on_event(void *ctx)
{
	struct user_registers user = {};

	task_registers(&user);
	return begin(ctx, 0, bpf_get_current_pid_tgid(), &user, KERNEL_ANYWHERE);
}

/* Without kernel frames: in a system call's entry, these are only those of the tracepoint. */
SEC("?tp")
int on_call(void *ctx)
{
	struct user_registers user = {};

	task_registers(&user);
	return begin(ctx, 0, bpf_get_current_pid_tgid(), &user, KERNEL_NONE);
}

SEC("?tp")
int on_return(void *ctx)
{
	return end(ctx, 0, bpf_get_current_pid_tgid());
}

/*
 * Many system calls at once. Attaching to the tracepoints of each would take the kernel a tenth of
 * a second, so this attaches to those that all calls pass. Calls of 32-bit programs are left out:
 * they have other numbers.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} wanted_calls SEC(".maps"); /* by system call number: the number of the probe + 1 */

SEC("?raw_tp/sys_enter")
int on_any_call(u64 *ctx)
{
	struct call_key from = { .owner = bpf_get_current_pid_tgid() };
	struct user_registers user = {};
	u32 number = ctx[1], *point = bpf_map_lookup_elem(&wanted_calls, &number);

	if (!point || !*point)
		return 0;
	task_registers(&user);
	if (user.narrow)
		return 0;
	return begin_at(ctx, *point - 1, &from, &user, KERNEL_NONE);
}

SEC("?raw_tp/sys_exit")
int on_any_return(u64 *ctx)
{
	struct call_key from = { .owner = bpf_get_current_pid_tgid() };

	return end_at(&from);
}

/* Perf counters. */
SEC("?perf_event")
int on_count(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct user_registers user = {};
	struct sum_key key = {};
	struct probe_record record = {};

	if (!(u32)id || !watched(task, id >> 32, id))
		return 0;
	interrupted_registers(ctx, task, &user);
	if (!observe(ctx, task, id, 0, &user, KERNEL_ANYWHERE, &key))
		return 0;
	if (!one_by_one) {
		add_sum(&key, ctx->sample_period, 0, 0);
		return 0;
	}
	record.kind = kind;
	record.cpu = bpf_get_smp_processor_id();
	record.time = bpf_ktime_get_ns();
	record.tgid = id >> 32;
	record.tid = id;
	record.stack = key.stack;
	record.value = ctx->sample_period;
	send(&record, sizeof(record));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
