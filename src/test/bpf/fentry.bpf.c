// Entry and exit of kernel functions, by fentry and by kprobe.
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 entries, exits, probes, returns;

SEC("?fentry/vfs_read")
int BPF_PROG(on_entry, void *file, char *buffer, unsigned long count)
{
	__sync_fetch_and_add(&entries, count == 77);
	return 0;
}

SEC("?fexit/vfs_read")
int BPF_PROG(on_exit, void *file, char *buffer, unsigned long count, void *pos, long result)
{
	__sync_fetch_and_add(&exits, count == 77 && result == 77);
	return 0;
}

SEC("?kprobe/vfs_read")
int BPF_KPROBE(on_probe, void *file, char *buffer, unsigned long count)
{
	__sync_fetch_and_add(&probes, count == 77);
	return 0;
}

SEC("?kretprobe/vfs_read")
int BPF_KRETPROBE(on_return, long result)
{
	__sync_fetch_and_add(&returns, result == 77);
	return 0;
}

SEC("?fentry/no_such_function")
int on_module(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
