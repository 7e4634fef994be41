/*
 * Runs a program instruction by instruction: stepper PROGRAM ARGUMENT... After each step it writes what
 * a stack walk must find, and waits for a byte. It knows by watching calls and returns happen. The
 * dynamic linker's start, which would be most of it, is not stepped through.
 *
 * A record, in words of 8 bytes: the number of callers; pid; rip; rax rdx rcx rbx rsi rdi rbp rsp r8 to
 * r15; the callers, innermost first.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_DEPTH 1000
#define FIXED 19

/* Where the program goes on, and the stack pointer then. */
static struct {
	unsigned long pc, sp;
} callers[MAX_DEPTH];
static int depth;

static void push(unsigned long pc, unsigned long sp)
{
	if (depth == MAX_DEPTH)
		exit(3);
	callers[depth].pc = pc;
	callers[depth++].sp = sp;
}

static unsigned long word_at(int pid, unsigned long address)
{
	return ptrace(PTRACE_PEEKDATA, pid, address, 0);
}

static void report(int pid, struct user_regs_struct *r)
{
	unsigned long record[FIXED + MAX_DEPTH] = { depth, pid, r->rip, r->rax, r->rdx, r->rcx, r->rbx, r->rsi,
		r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };
	size_t size = (FIXED + depth) * sizeof(long);
	char answer;

	for (int i = 0; i < depth; i++)
		record[FIXED + i] = callers[depth - 1 - i].pc;
	if (write(1, record, size) != (ssize_t)size || read(0, &answer, 1) != 1)
		exit(0);
}

/* Where the program itself starts, behind the dynamic linker. */
static unsigned long entry_of(int pid)
{
	unsigned long pair[2];
	char path[64];
	FILE *auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	auxv = fopen(path, "r");
	while (auxv && fread(pair, sizeof(pair), 1, auxv) == 1)
		if (pair[0] == AT_ENTRY)
			return pair[1];
	return 0;
}

static void run_to_entry(int pid, struct user_regs_struct *r)
{
	unsigned long entry = entry_of(pid), code = word_at(pid, entry);

	ptrace(PTRACE_POKEDATA, pid, entry, (code & ~0xffUL) | 0xcc); /* int3 */
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_POKEDATA, pid, entry, code);
	ptrace(PTRACE_GETREGS, pid, 0, r);
	r->rip = entry;
	ptrace(PTRACE_SETREGS, pid, 0, r);
}

static void follow(int pid, struct user_regs_struct *old, struct user_regs_struct *new, int signal)
{
	if (depth && new->rip == callers[depth - 1].pc && new->rsp == callers[depth - 1].sp) {
		depth--;
	} else if (depth && old->rsp < callers[depth - 1].sp && new->rsp >= callers[depth - 1].sp) {
		while (depth && new->rsp >= callers[depth - 1].sp)
			depth--; /* an exception: it goes on further up */
	} else if (signal && new->rip != old->rip) {
		push(old->rip, old->rsp);
		push(word_at(pid, new->rsp), new->rsp + 8);
	} else if (new->rsp == old->rsp - 8) {
		unsigned long pushed = word_at(pid, new->rsp);

		/* A call is what pushes the address behind itself; the longest has 9 bytes. */
		if (pushed > old->rip + 1 && pushed <= old->rip + 9 && new->rip != pushed)
			push(pushed, new->rsp + 8);
	}
}

int main(int argc, char **argv)
{
	struct user_regs_struct old, new;
	int pid = fork(), status, signal = 0;

	if (!pid) {
		int nothing = open("/dev/null", O_RDWR);

		dup2(nothing, 0);
		dup2(nothing, 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL);
	run_to_entry(pid, &new);
	while (WIFSTOPPED(status)) {
		report(pid, &new);
		old = new;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, signal) || waitpid(pid, &status, 0) != pid)
			break;
		if (!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, 0, &new))
			break;
		follow(pid, &old, &new, signal);
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
	return argc < 2;
}
