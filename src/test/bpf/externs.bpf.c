// What the kernel has: configuration, variables, addresses, functions.
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct rq {
	unsigned int nr_running;
} __attribute__((preserve_access_index));

extern int LINUX_KERNEL_VERSION __kconfig;
extern bool CONFIG_BPF_SYSCALL __kconfig;
extern char CONFIG_BPF __kconfig;
extern enum libbpf_tristate CONFIG_SMP __kconfig __weak;
extern int CONFIG_HZ __kconfig;
extern __u64 CONFIG_NR_CPUS __kconfig;
extern bool CONFIG_NO_SUCH_THING __kconfig __weak;
extern unsigned long CONFIG_NOT_THERE_EITHER __kconfig __weak;
extern const char CONFIG_DEFAULT_HOSTNAME[32] __kconfig __weak;

extern const struct rq runqueues __ksym;
extern const int no_such_variable __ksym __weak;
extern const void schedule __ksym;
extern const void no_such_symbol __ksym __weak;

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern int bpf_no_such_function(int x) __ksym __weak;

int version, hz;
__u64 cpus, address, missing, running;
char yes, name;
bool has_syscall;

SEC("raw_tp/sys_enter")
int config(void *ctx)
{
	version = LINUX_KERNEL_VERSION;
	has_syscall = CONFIG_BPF_SYSCALL;
	yes = CONFIG_BPF;
	hz = CONFIG_HZ;
	cpus = CONFIG_NR_CPUS;
	name = CONFIG_DEFAULT_HOSTNAME[1];
	if (CONFIG_SMP == TRI_YES)
		missing += 1;
	if (CONFIG_NO_SUCH_THING)
		missing += 2;
	missing += CONFIG_NOT_THERE_EITHER;
	return 0;
}

#ifndef ORACLE /* loads only where /proc/kallsyms lists data */
SEC("?raw_tp/sys_enter")
int variables(void *ctx)
{
	struct rq *rq;

	rq = bpf_per_cpu_ptr(&runqueues, 0);
	if (rq)
		running += rq->nr_running;
	rq = bpf_this_cpu_ptr(&runqueues);
	running += rq->nr_running;
	return 0;
}
#endif

SEC("raw_tp/sys_enter")
int symbols(void *ctx)
{
	address = (__u64)&schedule;
	if (&no_such_symbol)
		missing += 4;
	if (&no_such_variable)
		missing += 8;
	return 0;
}

#ifndef NO_KERNEL_FUNCTIONS
SEC("tp_btf/task_newtask")
int BPF_PROG(functions, struct task_struct *task)
{
	struct task_struct *held;

	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	held = bpf_task_acquire(task);
	if (held)
		bpf_task_release(held);
	if (&no_such_variable)
		return bpf_no_such_function(1);
	return 0;
}
#endif

char LICENSE[] SEC("license") = "GPL";
