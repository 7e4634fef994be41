// CO-RE against the running kernel: nested, anonymous and array members, flavours, enums, ids.
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct qstr {
	union {
		struct {
			__u32 hash;
			__u32 len;
		};
		__u64 hash_len;
	};
	const unsigned char *name;
};
struct dentry {
	struct qstr d_name;
	struct dentry *d_parent;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct path f_path;
};
struct mm_struct {
	struct file *exe_file;
	unsigned long start_stack;
};
struct cgroup {
	int level;
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct pid {
	unsigned int level;
};
struct signal_struct {
	struct pid *pids[4];
};
struct task_struct {
	unsigned int __state;
	int pid, tgid, prio;
	char comm[16];
	struct mm_struct *mm;
	struct css_set *cgroups;
	struct signal_struct *signal;
	struct task_struct *real_parent;
	unsigned sched_reset_on_fork : 1;
	unsigned in_execve : 1;
	unsigned no_cgroup_migration : 1;
	__u64 start_boottime;
	int no_such_field;
};
struct task_struct___before {
	long state;
};
struct bio;
struct no_such_struct {
	int x;
};
enum perf_event_sample_format { PERF_SAMPLE_IP, PERF_SAMPLE_TID };
enum bpf_map_type___x { BPF_MAP_TYPE_ARENA___x };
#pragma clang attribute pop

__u64 out[32];

SEC("tp_btf/sched_switch")
int BPF_PROG(direct, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct task_struct___before *before = (void *)prev;

	out[0] = next->pid + next->mm->start_stack + next->real_parent->tgid;
	out[1] = next->signal->pids[1]->level;
	out[2] = next->comm[3];
	out[3] = next->mm->exe_file->f_path.dentry->d_name.len;
	if (bpf_core_field_exists(before->state))
		out[4] = before->state;
	else
		out[4] = prev->__state;
	if (bpf_core_field_exists(prev->no_such_field))
		out[5] = prev->no_such_field;
	out[6] = BPF_CORE_READ_BITFIELD(prev, sched_reset_on_fork);
	out[7] = BPF_CORE_READ_BITFIELD(prev, no_cgroup_migration);
	return 0;
}

SEC("perf_event")
int probed(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	out[8] = BPF_CORE_READ(task, mm, exe_file, f_path.dentry, d_parent, d_name.hash);
	out[9] = BPF_CORE_READ(task, cgroups, dfl_cgrp, level);
	out[10] = BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
	out[11] = bpf_core_type_size(struct task_struct) + bpf_core_type_exists(struct no_such_struct);
	out[12] = bpf_core_enum_value(enum perf_event_sample_format, PERF_SAMPLE_TID);
	out[13] = bpf_core_enum_value_exists(enum bpf_map_type___x, BPF_MAP_TYPE_ARENA___x);
	out[14] = bpf_core_type_id_kernel(struct task_struct);
	out[15] = bpf_core_type_id_local(struct task_struct);
	out[16] = bpf_core_field_size(task->comm) + bpf_core_field_offset(task->start_boottime);
	out[17] = bpf_core_type_matches(struct path);
	out[18] = bpf_core_type_matches(struct qstr);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
