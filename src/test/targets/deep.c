// deep DEPTH MILLIS: burns CPU at the end of DEPTH calls of descend(). It does not use the C library, whose
// start code has no frame pointers; so its stacks are complete, from _start on.
#define SYS_clock_gettime 228
#define SYS_exit_group 231
#define CLOCK_PROCESS_CPUTIME_ID 2

static volatile unsigned long sink;

static inline long call(long nr, long a, long b)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return result;
}

static long number(const char *text)
{
	long n = 0;
	while (*text)
		n = n * 10 + *text++ - '0';
	return n;
}

__attribute__((noinline)) void burn(long millis)
{
	long t[2];
	do {
		for (int i = 0; i < 200000; i++)
			sink += i;
		call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)t);
	} while (t[0] * 1000 + t[1] / 1000000 < millis);
}

__attribute__((noinline)) void descend(long depth, long millis)
{
	if (depth > 1)
		descend(depth - 1, millis);
	else
		burn(millis);
	sink++; // not a tail call
}

__attribute__((noinline)) void start(long *stack)
{
	char **argv = (char **)(stack + 1);
	descend(number(argv[1]), number(argv[2]));
	call(SYS_exit_group, 0, 0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call start\n"
	"	hlt\n");
