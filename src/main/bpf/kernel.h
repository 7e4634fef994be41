/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel types that Plumb reads, with only the fields that it reads. The loader relocates each
 * access to the running kernel's layout (CO-RE), so order and size do not matter here.
 */
#ifndef PLUMB_KERNEL_H
#define PLUMB_KERNEL_H

typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};

enum {
	BPF_F_NO_PREALLOC = 1 << 0,
	BPF_F_MMAPABLE = 1 << 10,
};

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};

/* Helpers that not all kernels have: programs check for the enumerator before they call one. */
enum bpf_func_id {
	BPF_FUNC_get_attach_cookie = 174,
	BPF_FUNC_task_pt_regs = 175,
};

enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Registers as the kernel saves them. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
};
struct pt_regs {
	struct user_pt_regs user_regs;
};
#endif

struct rq {
	unsigned int nr_running;
};

struct cfs_rq {
	struct rq *rq; /* needs CONFIG_FAIR_GROUP_SCHED, which practically every kernel has */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[];
};

/* Before 6.1 (7f203bc89eb6, "cgroup: Replace cgroup->ancestor_ids[] with ->ancestors[]"). */
struct cgroup___ids {
	u64 ancestor_ids[1];
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	struct pid *pids[4];
};

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
};
#endif

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

/* A call whose return address a uretprobe has replaced. */
struct return_instance {
	unsigned long stack; /* address of the return address */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances; /* innermost first */
};

struct mm_struct {
	unsigned long start_code;
	unsigned long start_stack;
	unsigned long end_code;
	struct uprobes_state uprobes_state;
};

struct task_struct {
	struct sched_entity se;
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	u64 start_time;
	u64 parent_exec_id; /* the parent's self_exec_id when it forked this task */
	u64 self_exec_id; /* starts at the parent's; each exec increments it */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct pid *thread_pid;
	struct mm_struct *mm;
	struct uprobe_task *utask;
#if defined(__TARGET_ARCH_x86)
	struct thread_struct thread;
#endif
};

/* Before 5.14 (2f064a59a11f, "sched: Change task_struct::state"). */
struct task_struct___state {
	long state;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/* The layout of a program's context is part of the kernel's ABI, so it is not relocated. */
#if defined(__TARGET_ARCH_x86)
typedef struct {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	u64 ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
} bpf_user_pt_regs_t;
#elif defined(__TARGET_ARCH_arm64)
typedef struct {
	u64 regs[31];
	u64 sp, pc, pstate;
} bpf_user_pt_regs_t;
#endif

struct bpf_perf_event_data {
	bpf_user_pt_regs_t regs;
	u64 sample_period;
	u64 addr;
};

#define PF_KTHREAD 0x00200000
#define TASK_DEAD 0x80
#define PIDTYPE_PGID 2
#define KERNEL_STACK_SIZE (4096 << 2) /* THREAD_SIZE without KASAN */

#endif
