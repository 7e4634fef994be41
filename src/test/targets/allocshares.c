// allocshares SECONDS WORK PAUSE_US THREADS: allocates and frees 700 bytes in most(), then 300 in some(), again
// and again. Before each such pair it counts to WORK; with PAUSE_US it sleeps after every thousand pairs.
// Prints how many bytes it allocated.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static double seconds;
static long work, pause_us;
static void *volatile sink;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

KEEP void most(void)
{
	void *p = sink = malloc(700);
	free(p);
}

KEEP void some(void)
{
	void *p = sink = malloc(300);
	free(p);
}

KEEP void *shares(void *unused)
{
	double end = now() + seconds;
	long pairs = 0;

	(void)unused;
	while (now() < end) {
		for (int i = 0; i < 1000; i++) {
			for (volatile long k = 0; k < work; k++)
				;
			most();
			some();
		}
		pairs += 1000;
		if (pause_us)
			usleep(pause_us);
	}
	return (void *)pairs;
}

int main(int argc, char **argv)
{
	int count = argc > 4 ? atoi(argv[4]) : 1;
	pthread_t threads[64];
	void *pairs;
	long all = 0;

	if (argc < 4 || count > 64)
		return 2;
	seconds = atof(argv[1]);
	work = atol(argv[2]);
	pause_us = atol(argv[3]);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, shares, NULL);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], &pairs);
		all += (long)pairs;
	}
	printf("%ld\n", all * 1000);
	return 0;
}
