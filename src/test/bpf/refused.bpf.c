// Programs that a kernel must refuse, each for its own reason.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

struct task_struct {
	int no_such_field;
	int pid;
	struct {
		int also_missing;
	};
} __attribute__((preserve_access_index));

struct no_such_struct {
	struct {
		int inner;
	} middle[3];
} __attribute__((preserve_access_index));

enum bpf_no_such_enum { NO_SUCH_VALUE = 3 };

extern int bpf_no_such_function(int x) __ksym __weak;

SEC("?raw_tp/sys_enter")
int unchecked(void *ctx)
{
	int *pointer = (int *)bpf_get_current_task();

	return *pointer;
}

SEC("?raw_tp/sys_enter")
int missing_field(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, no_such_field);
}

SEC("?raw_tp/sys_enter")
int missing_struct(void *ctx)
{
	struct no_such_struct *s = (void *)bpf_get_current_task();

	return BPF_CORE_READ(s, middle[2].inner);
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(missing_load, _Bool preempt, struct task_struct *prev)
{
	return prev->also_missing;
}

SEC("?raw_tp/sys_enter")
int missing_value(void *ctx)
{
	return bpf_core_enum_value(enum bpf_no_such_enum, NO_SUCH_VALUE);
}

SEC("?tp_btf/sched_switch")
int missing_function(void *ctx)
{
	return bpf_no_such_function(1);
}

SEC("?xdp")
int unknown_kind(void *ctx)
{
	return 0;
}

SEC("?tp_btf/no_such_tracepoint")
int missing_tracepoint(void *ctx)
{
	return 0;
}

SEC("?fentry")
int no_target(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
