/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A hash that identifies a process. */
#ifndef PLUMB_PROCESS_H
#define PLUMB_PROCESS_H

#include "target.h"

/* Adds a value to a hash. */
static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/*
 * Identifies a process as long as its user addresses keep their meaning: an exec changes it. The
 * start time tells it from an earlier process with the same pid.
 */
static __always_inline u64 process_of(struct task_struct *task, u32 tgid)
{
	return mix(mix(tgid, BPF_CORE_READ(task, group_leader, start_time)),
		   BPF_CORE_READ(task, self_exec_id));
}

#endif
