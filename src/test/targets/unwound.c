/*
 * Goes into a deep recursion and blocks there: unwound DEPTH WAY. Ways: read, signal (a handler on a
 * stack of its own), thread, aligned (a function that aligns its stack), library (qsort calls back).
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;
static char alternate[65536];
static char way;
int steps;

__attribute__((noinline)) static void block(void)
{
	char c;

	puts("ready");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		sink++;
	sink++;
}

static void handler(int signal)
{
	block();
	sink += signal;
}

static int compare(const void *a, const void *b)
{
	if (!sink++)
		block();
	return *(const int *)a - *(const int *)b;
}

/* A variable-length array and an aligned one: the frame is found by a saved pointer to it. */
__attribute__((noinline)) static int aligned(int n)
{
	double wide[16] __attribute__((aligned(64)));
	char room[n * 8 + 8];

	for (int i = 0; i < 16; i++)
		wide[i] = i * n;
	memset(room, n, sizeof(room));
	if (n > 0)
		wide[n & 15] += aligned(n - 1);
	else
		block();
	return (int)wide[3] + room[n & 7];
}

__attribute__((noinline)) static int recurse(int n)
{
	char room[40];
	int numbers[2] = { 2, 1 };

	memset(room, n, sizeof(room));
	sink += room[n & 31];
	if (n > 0)
		sink += recurse(n - 1);
	else if (way == 's')
		raise(SIGUSR1);
	else if (way == 'a')
		sink += aligned(9);
	else if (way == 'l') {
		sink = 0;
		qsort(numbers, 2, sizeof(int), compare);
	} else
		block();
	return sink + room[3];
}

static void *thread(void *depth)
{
	return (void *)(long)recurse((int)(long)depth);
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	int depth = atoi(argv[1]);
	pthread_t other;

	way = argv[2][0];
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (way != 't')
		return recurse(depth) & 1;
	pthread_create(&other, NULL, thread, (void *)(long)depth);
	pthread_join(other, NULL);
	return 0;
}
