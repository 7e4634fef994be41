// callpairs WHAT N: N pairs of calls and nothing else: malloc and free, pwrite and pread, or lock and unlock in
// four threads that want the same mutex. Prints the nanoseconds per pair; with malloc-cpu, of CPU time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *volatile sink;
static volatile long counter;
static long pairs;
static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void)
{
	struct timespec t;
	clock_gettime(clock_used, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

KEEP void allocates(void)
{
	for (long i = 0; i < pairs; i++) {
		void *p = sink = malloc(64);
		free(p);
	}
}

KEEP void moves(void)
{
	char buffer[512] = "";
	int fd = memfd_create("pairs", 0);

	for (long i = 0; i < pairs; i++)
		if (pwrite(fd, buffer, sizeof(buffer), 0) < 0 || pread(fd, buffer, sizeof(buffer), 0) < 0)
			abort();
}

KEEP void *locks(void *unused)
{
	for (long i = 0; i < pairs / 4; i++) {
		pthread_mutex_lock(&mutex);
		for (int k = 0; k < 200; k++)
			counter++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

KEEP void crowds(void)
{
	pthread_t all[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&all[i], NULL, locks, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	double start;

	if (argc < 3)
		return 2;
	pairs = atol(argv[2]);
	if (argc > 3)
		sleep(atoi(argv[3])); // until somebody watches
	if (!strcmp(argv[1], "malloc-cpu"))
		clock_used = CLOCK_PROCESS_CPUTIME_ID;
	start = now();
	if (!strcmp(argv[1], "malloc") || clock_used == CLOCK_PROCESS_CPUTIME_ID)
		allocates();
	else if (!strcmp(argv[1], "io"))
		moves();
	else if (!strcmp(argv[1], "mutex"))
		crowds();
	else
		return 2;
	printf("%.1f\n", (now() - start) / pairs);
	return 0;
}
