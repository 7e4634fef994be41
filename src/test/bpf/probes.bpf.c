// Counts how often a probe is reached, with which argument, result and cookie.
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifdef NO_COOKIES
#define COOKIE(ctx) 0
#else
#define COOKIE(ctx) bpf_get_attach_cookie(ctx)
#endif

__u64 entries, returns, argument, result, cookie, multi, cookies;

SEC("uprobe")
int BPF_KPROBE(on_entry, int x)
{
	__sync_fetch_and_add(&entries, 1);
	argument = x;
	cookie = COOKIE(ctx);
	return 0;
}

SEC("uretprobe")
int BPF_KRETPROBE(on_return, int x)
{
	__sync_fetch_and_add(&returns, 1);
	result = x;
	return 0;
}

SEC("uprobe.multi")
int on_many(struct pt_regs *ctx)
{
	__sync_fetch_and_add(&multi, 1);
	cookies += COOKIE(ctx);
	return 0;
}

SEC("kprobe.multi")
int on_functions(struct pt_regs *ctx)
{
	return 0;
}

SEC("kprobe/schedule")
int on_function(struct pt_regs *ctx)
{
	return 0;
}

SEC("tp/syscalls/sys_enter_gettid")
int on_tracepoint(void *ctx)
{
	__sync_fetch_and_add(&entries, 1);
	cookie = COOKIE(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
