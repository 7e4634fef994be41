/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Which tasks are watched. All filters apply here, in the kernel; a task must pass every one. */
#ifndef PLUMB_TARGET_H
#define PLUMB_TARGET_H

#include "plumb.h"

const volatile u32 own_tgid = 0; /* Plumb's own, which is not watched; 0 to watch it too */
const volatile bool filter_tgids = false;
const volatile bool filter_tids = false;
const volatile char filter_comm[16] = {};
const volatile u64 filter_cgroup = 0;
const volatile u32 filter_cgroup_level = 0;
const volatile int filter_cgroup_subsystem = -1; /* -1: cgroup v2 */
const volatile u32 filter_pgid = 0;
const volatile u32 filter_pidns = 0;

/* Nobody is watched while programs are attached or detached: all modes start and stop at once. */
volatile bool paused = false;

/* The processes that the user named, and their children, which target.bpf.c adds. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u8);
} target_tgids SEC(".maps");

/* The threads that the user named. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, u8);
} target_tids SEC(".maps");

static __always_inline bool same_comm(const char *comm)
{
	for (int i = 0; i < 16; i++) {
		if (comm[i] != filter_comm[i])
			return false;
		if (!comm[i])
			break;
	}
	return true;
}

/* Whether the name of the thread or of its process matches. */
static __always_inline bool comm_matches(struct task_struct *task)
{
	char comm[16] = {};

	BPF_CORE_READ_INTO(&comm, task, comm);
	if (same_comm(comm))
		return true;
	BPF_CORE_READ_INTO(&comm, task, group_leader, comm);
	return same_comm(comm);
}

/* Whether the task is in the cgroup or below it. */
static __always_inline bool cgroup_matches(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup *cgroup;

	if (filter_cgroup_subsystem < 0) {
		cgroup = BPF_CORE_READ(set, dfl_cgrp);
	} else {
		struct cgroup_subsys_state *css = NULL;

		bpf_probe_read_kernel(&css, sizeof(css),
				      (void *)set + bpf_core_field_offset(struct css_set, subsys) +
					      filter_cgroup_subsystem * sizeof(void *));
		cgroup = BPF_CORE_READ(css, cgroup);
	}
	if (BPF_CORE_READ(cgroup, level) < (int)filter_cgroup_level)
		return false;

	u64 id = 0;

	if (bpf_core_field_exists(struct cgroup, ancestors)) {
		struct cgroup *ancestor = NULL;

		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
				      (void *)cgroup + bpf_core_field_offset(struct cgroup, ancestors) +
					      filter_cgroup_level * sizeof(void *));
		id = BPF_CORE_READ(ancestor, kn, id);
	} else {
		bpf_probe_read_kernel(&id, sizeof(id),
				      (void *)cgroup +
					      bpf_core_field_offset(struct cgroup___ids, ancestor_ids) +
					      filter_cgroup_level * sizeof(u64));
	}
	return id == filter_cgroup;
}

/* The inode number of the task's pid namespace. */
static __always_inline u32 pid_namespace_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct upid upid = {};

	if (level > 32) /* MAX_PID_NS_LEVEL */
		return 0;
	bpf_probe_read_kernel(&upid.ns, sizeof(upid.ns),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, ns));
	return BPF_CORE_READ(upid.ns, ns.inum);
}

/* Whether a task passes all filters. The idle task, tid 0, never does. */
static __always_inline bool watched(struct task_struct *task, u32 tgid, u32 tid)
{
	if (paused || !tid || tgid == own_tgid)
		return false;
	if (filter_tgids && !bpf_map_lookup_elem(&target_tgids, &tgid))
		return false;
	if (filter_tids && !bpf_map_lookup_elem(&target_tids, &tid))
		return false;
	if (filter_comm[0] && !comm_matches(task))
		return false;
	if (filter_cgroup && !cgroup_matches(task))
		return false;
	if (filter_pgid &&
	    filter_pgid != BPF_CORE_READ(task, signal, pids[PIDTYPE_PGID], numbers[0].nr))
		return false;
	if (filter_pidns && filter_pidns != pid_namespace_of(task))
		return false;
	return true;
}

/* The task's state: TASK_* bits. */
static __always_inline u32 state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct, __state))
		return BPF_CORE_READ(task, __state);
	return BPF_CORE_READ((struct task_struct___state *)task, state);
}

#endif
