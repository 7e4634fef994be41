// Programs of every kind that Plumb knows and that a kernel loads without extra options.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define PROGRAM(section, name)    \
	SEC(section)              \
	int name(void *ctx)       \
	{                         \
		return 0;         \
	}

PROGRAM("perf_event", sample)
PROGRAM("tracepoint/sched/sched_switch", tracepoint_long)
PROGRAM("tp/sched/sched_switch", tracepoint_short)
PROGRAM("raw_tracepoint/sched_switch", raw_long)
PROGRAM("raw_tp/sched_switch", raw_short)
PROGRAM("raw_tp.w/sched_switch", raw_writable)
PROGRAM("tp_btf/sched_switch", typed)
PROGRAM("kprobe/schedule", kprobe_on)
PROGRAM("kretprobe/schedule", kretprobe_on)
PROGRAM("kprobe.multi/schedule", kprobe_multi)
PROGRAM("kretprobe.multi/schedule", kretprobe_multi)
PROGRAM("uprobe", uprobe_bare)
PROGRAM("uprobe//bin/true:main", uprobe_on)
PROGRAM("uretprobe", uretprobe_bare)
PROGRAM("uprobe.s", uprobe_sleepable)
PROGRAM("uretprobe.s", uretprobe_sleepable)
PROGRAM("usdt", usdt_bare)
PROGRAM("iter/task", iter_task)
PROGRAM("iter/task_vma", iter_vma)
PROGRAM("iter/task_file", iter_file)
PROGRAM("iter.s/task", iter_sleepable)
PROGRAM("syscall", sys)

char LICENSE[] SEC("license") = "GPL";
