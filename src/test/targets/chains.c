// chains KIND SECONDS: spins at the end of a chain of calls that is known: main, begin, then by KIND
//   deep     600 × descend, spin
//   signal   interrupted_work, a signal, on_signal on a stack of its own, spin
//   threads  in four threads: thread_main, spin
//   vdso     ask, clock_gettime
//   syscall  fill, read of /dev/zero
//   plt      sort, qsort, compare, spin
//   jump     jump (setjmp, longjmp), spin
//   context  coroutine on a stack of its own, spin
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static double seconds;
static volatile uint64_t sink;

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

KEEP void spin(void)
{
	double end = cpu() + seconds;
	do {
		for (int i = 0; i < 200000; i++)
			sink += i;
	} while (cpu() < end);
}

KEEP int descend(int depth)
{
	volatile char room[64]; // so that each frame has some
	room[depth & 63] = depth;
	if (depth == 1)
		spin();
	else
		descend(depth - 1);
	return room[depth & 63];
}

static volatile sig_atomic_t handled;

KEEP void on_signal(int number)
{
	spin();
	handled = number;
}

KEEP void interrupted_work(void)
{
	while (!handled)
		sink++;
}

KEEP void take_signal(void)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	struct itimerval timer = { .it_value.tv_usec = 100000 };
	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	interrupted_work();
	sink++;
}

KEEP void *thread_main(void *unused)
{
	spin();
	sink++;
	return unused;
}

KEEP void start_threads(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

KEEP void ask(void)
{
	double end = cpu() + seconds;
	struct timespec t;
	do {
		for (int i = 0; i < 20000; i++) {
			clock_gettime(CLOCK_MONOTONIC, &t);
			sink += t.tv_nsec;
		}
	} while (cpu() < end);
}

KEEP void fill(void)
{
	static char buffer[1 << 16];
	double end = cpu() + seconds;
	int fd = open("/dev/zero", O_RDONLY);
	do {
		for (int i = 0; i < 100; i++)
			sink += read(fd, buffer, sizeof(buffer));
	} while (cpu() < end);
}

KEEP int compare(const void *a, const void *b)
{
	if (!handled)
		spin();
	handled = 1;
	return *(const char *)a - *(const char *)b;
}

KEEP void sort(void)
{
	char letters[] = "plumb";
	qsort(letters, strlen(letters), 1, compare);
	sink += letters[0];
}

static jmp_buf place;

KEEP void jump_from_below(int depth)
{
	if (depth)
		jump_from_below(depth - 1);
	else
		longjmp(place, 1);
	sink++;
}

KEEP void jump(void)
{
	if (!setjmp(place))
		jump_from_below(20);
	spin();
	sink++;
}

static ucontext_t first, second;

KEEP void coroutine(void)
{
	spin();
	sink++;
}

KEEP void switch_context(void)
{
	getcontext(&second);
	second.uc_stack.ss_sp = malloc(1 << 16);
	second.uc_stack.ss_size = 1 << 16;
	second.uc_link = &first;
	makecontext(&second, coroutine, 0);
	swapcontext(&first, &second);
	sink++;
}

KEEP int begin(const char *kind)
{
	if (!strcmp(kind, "deep"))
		descend(600);
	else if (!strcmp(kind, "signal"))
		take_signal();
	else if (!strcmp(kind, "threads"))
		start_threads();
	else if (!strcmp(kind, "vdso"))
		ask();
	else if (!strcmp(kind, "syscall"))
		fill();
	else if (!strcmp(kind, "plt"))
		sort();
	else if (!strcmp(kind, "jump"))
		jump();
	else if (!strcmp(kind, "context"))
		switch_context();
	else
		return 2;
	return sink == 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	seconds = atof(argv[2]);
	return begin(argv[1]) + (sink == 0);
}
