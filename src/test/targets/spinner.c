// spinner SHARE THREADS CPU_SECONDS: burns CPU in two functions, SHARE percent of it in spin_a and the
// rest in spin_b, in slices of irregular length so that no sampling rate beats with them. Prints the
// CPU seconds it used.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double share, cpu_seconds;
static volatile uint64_t sink;

#define SPIN(name)                                                     \
	__attribute__((noinline)) void name(uint64_t turns)            \
	{                                                              \
		uint64_t x = turns;                                    \
		for (uint64_t i = 0; i < turns; i++)                   \
			x = x * 6364136223846793005u + 1442695040888963407u; \
		sink = x;                                              \
	}
SPIN(spin_a)
SPIN(spin_b)

static double cpu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void *worker(void *seed)
{
	uint64_t random = (uintptr_t)seed * 7919 + 1;
	double start = cpu_now();
	while (cpu_now() - start < cpu_seconds) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t turns = 200000 + (random >> 33) % 1800000; // about 0.2 to 2 ms
		spin_a(turns * share);
		spin_b(turns * (1 - share));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	share = atof(argv[1]) / 100;
	int threads = atoi(argv[2]);
	cpu_seconds = atof(argv[3]) / threads;
	pthread_t all[64];
	for (int i = 1; i < threads; i++)
		pthread_create(&all[i], NULL, worker, (void *)(uintptr_t)i);
	worker(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(all[i], NULL);
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%.6f\n", t.tv_sec + t.tv_nsec / 1e9);
	return 0;
}
