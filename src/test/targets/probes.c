// Does things a known number of times, for probes to count: probes WHAT N [ARGUMENT [FILE]]; writes to the
// file how many nanoseconds the calls took; those that wait for nothing, of CPU time.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

volatile unsigned short ticks_semaphore __attribute__((section(".probes"))) = 0;
volatile long global_value = 77;

static long nanos(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long now(void)
{
	return nanos(CLOCK_MONOTONIC);
}

NOINLINE long counted_call(long i, const char *text)
{
	__asm__ volatile("" ::"r"(text));
	return i + 1;
}

NOINLINE void spin_for(long micros)
{
	long end = now() + micros * 1000;

	while (now() < end)
		;
}

NOINLINE void sleep_for(long micros)
{
	usleep(micros);
	__asm__ volatile("");
}

/* Recursive: each call takes as long as the calls in it, and a little. */
NOINLINE long recurse(long depth)
{
	long below = depth ? recurse(depth - 1) : 0;

	if (!depth)
		spin_for(2000);
	__asm__ volatile("");
	return below + 1;
}

static jmp_buf escape;

/* Never returns. */
NOINLINE void jump_out(void)
{
	longjmp(escape, 1);
}

NOINLINE void with_probe(int i, long l)
{
	/* clang-format off */
	if (ticks_semaphore)
		__asm__ volatile(
			"990: nop\n"
			".pushsection .note.stapsdt,\"\",\"note\"\n"
			".balign 4\n"
			".4byte 992f-991f, 994f-993f, 3\n"
			"991: .asciz \"stapsdt\"\n"
			"992: .balign 4\n"
			"993: .8byte 990b, 0, ticks_semaphore\n"
			".asciz \"plumbtest\"\n.asciz \"tick\"\n"
			".asciz \"-4@%k0 8@%1 -4@$-5 8@global_value(%%rip) 8@%2\"\n"
			"994: .balign 4\n"
			".popsection\n" ::"r"(i), "r"(l), "m"(l));
	__asm__ volatile(
		"990: nop\n"
		".pushsection .note.stapsdt,\"\",\"note\"\n"
		".balign 4\n"
		".4byte 992f-991f, 994f-993f, 3\n"
		"991: .asciz \"stapsdt\"\n"
		"992: .balign 4\n"
		"993: .8byte 990b, 0, 0\n"
		".asciz \"plumbtest\"\n.asciz \"always\"\n"
		".asciz \"-4@%k0\"\n"
		"994: .balign 4\n"
		".popsection\n" ::"r"(i));
	/* clang-format on */
}

static long times, own;

static void *thread(void *unused)
{
	(void)unused;
	for (long i = 0; i < times; i++)
		counted_call(i, "thread");
	return NULL;
}

NOINLINE void do_it(const char *what, long argument)
{
	pthread_t threads[8];
	long start = nanos(CLOCK_PROCESS_CPUTIME_ID);

	if (!strcmp(what, "call"))
		for (long i = 0; i < times; i++)
			counted_call(i % 3, i % 3 ? "odd" : "even");
	else if (!strcmp(what, "spin"))
		for (long i = 0; i < times; i++) {
			own -= now();
			spin_for(argument);
			own += now();
		}
	else if (!strcmp(what, "sleep"))
		for (long i = 0; i < times; i++) {
			own -= now();
			sleep_for(argument);
			own += now();
		}
	else if (!strcmp(what, "recurse"))
		for (long i = 0; i < times; i++)
			recurse(argument);
	else if (!strcmp(what, "jump"))
		for (volatile long i = 0; i < times; i++) {
			if (!setjmp(escape))
				jump_out();
			else
				counted_call(i, "jump");
		}
	else if (!strcmp(what, "usdt"))
		for (long i = 0; i < times; i++)
			with_probe(-(int)(i % 2), 1L << 40);
	else if (!strcmp(what, "syscall"))
		for (long i = 0; i < times; i++)
			syscall(SYS_getppid);
	else if (!strcmp(what, "nanosleep"))
		for (long i = 0; i < times; i++) {
			struct timespec t = { .tv_nsec = argument * 1000 };

			own -= now();
			syscall(SYS_nanosleep, &t, NULL);
			own += now();
		}
	else if (!strcmp(what, "fault"))
		for (long i = 0; i < times; i++) {
			char *page = mmap(NULL, 4096, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			*(volatile char *)page = 1;
			munmap(page, 4096);
		}
	else if (!strcmp(what, "exec")) {
		for (long i = 0; i < times; i++) {
			pid_t child = fork();

			if (!child) {
				execl("/proc/self/exe", "again", "call", "0", NULL);
				_exit(5);
			}
			waitpid(child, NULL, 0);
		}
	} else if (!strcmp(what, "threads")) {
		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, thread, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	} else if (!strcmp(what, "wait"))
		sleep(argument);
	else
		exit(3);
	if (!own)
		own = nanos(CLOCK_PROCESS_CPUTIME_ID) - start;
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 3;
	times = atol(argv[2]);
	do_it(argv[1], argc > 3 ? atol(argv[3]) : 0);
	if (argc > 4) {
		FILE *out = fopen(argv[4], "w");

		if (!out || fprintf(out, "%ld\n", own) < 0 || fclose(out))
			return 4;
	}
	return 0;
}
