// eightthreads SECONDS: eight threads, named eight-0 to eight-7, each busy in a function of its own.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <time.h>

static double seconds;
static volatile uint64_t sink;

#define WORK(n)                                                  \
	__attribute__((noinline)) void work_##n(void)            \
	{                                                        \
		for (int i = 0; i < 100000; i++)                 \
			sink += i * n;                           \
	}
WORK(0) WORK(1) WORK(2) WORK(3) WORK(4) WORK(5) WORK(6) WORK(7)
static void (*const works[])(void) = { work_0, work_1, work_2, work_3, work_4, work_5, work_6, work_7 };

static void *thread(void *number)
{
	char name[16];
	struct timespec t;
	snprintf(name, sizeof(name), "eight-%d", (int)(intptr_t)number);
	pthread_setname_np(pthread_self(), name);
	do {
		works[(intptr_t)number]();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec + t.tv_nsec / 1e9 < seconds);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t all[8];
	seconds = argc > 1 ? atof(argv[1]) : 1;
	for (intptr_t i = 0; i < 8; i++)
		pthread_create(&all[i], NULL, thread, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(all[i], NULL);
	return 0;
}
