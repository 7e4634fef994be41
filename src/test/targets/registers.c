/* Prints the registers of threads that are blocked: registers TID... One line each: tid, rip, then by
 * DWARF's numbers rax rdx rcx rbx rsi rdi rbp rsp r8 to r15. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int tid = atoi(argv[i]), status;
		struct user_regs_struct r;

		if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
		    waitpid(tid, &status, __WALL) != tid || ptrace(PTRACE_GETREGS, tid, 0, &r))
			return 1;
		printf("%d %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx\n",
		       tid, r.rip, r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10,
		       r.r11, r.r12, r.r13, r.r14, r.r15);
		ptrace(PTRACE_DETACH, tid, 0, 0);
	}
	return 0;
}
