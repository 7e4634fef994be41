// convoy ROUNDS HOLD_MS KIND: one thread holds a mutex over an fsync and a sleep of HOLD_MS again and
// again, four others want it meanwhile, each for a moment. KIND is normal, recursive, robust or inherit.
// Prints the thread that holds and the microseconds that the others have waited by their own clocks.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define WAITERS 4

static pthread_mutex_t mutex;
static pthread_barrier_t all;
static int rounds, hold_ms, over;
static double waited[WAITERS];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

KEEP void want(int i)
{
	double start = now();

	pthread_mutex_lock(&mutex);
	waited[i] += now() - start;
	pthread_mutex_unlock(&mutex);
}

static void *waiter(void *number)
{
	int i = (int)(long)number;

	prctl(PR_SET_NAME, "a-waiter");
	pthread_barrier_wait(&all);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		want(i);
		usleep(500);
	}
	return NULL;
}

KEEP void hold(int fd)
{
	pthread_mutex_lock(&mutex);
	if (write(fd, "x", 1) != 1 || fsync(fd))
		abort();
	usleep(hold_ms * 1000);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	pthread_t threads[WAITERS];
	pthread_mutexattr_t kind;
	double sum = 0;
	FILE *file = tmpfile();

	if (argc < 4 || !file)
		return 2;
	rounds = atoi(argv[1]);
	hold_ms = atoi(argv[2]);
	pthread_mutexattr_init(&kind);
	if (!strcmp(argv[3], "recursive"))
		pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	else if (!strcmp(argv[3], "robust"))
		pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	else if (!strcmp(argv[3], "inherit"))
		pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &kind);
	pthread_barrier_init(&all, NULL, WAITERS + 1);
	prctl(PR_SET_NAME, "the-holder");
	for (long i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, waiter, (void *)i);
	pthread_barrier_wait(&all);
	for (int i = 0; i < rounds; i++)
		hold(fileno(file));
	over = 1;
	for (int i = 0; i < WAITERS; i++) {
		pthread_join(threads[i], NULL);
		sum += waited[i];
	}
	printf("%d %.0f\n", getpid(), sum);
	return 0;
}
