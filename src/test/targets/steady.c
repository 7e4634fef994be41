// steady ROUNDS FILE: does the same bit of everything in each round: CPU time, sleep, a lock that another thread
// holds, memory, I/O, calls. Prints the microseconds of CPU time that it used, and those that it waited for the
// lock by its own clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *volatile sink;
static volatile uint64_t spun;
static char buffer[4096];
static double waited;
static int rounds;

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void pause_us(long us)
{
	struct timespec t = { 0, us * 1000 };
	nanosleep(&t, NULL);
}

KEEP void spins(void)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + 5000;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 5000; i++)
			spun += i;
}

KEEP void keeps_block(void) { sink = malloc(1003); }

KEEP void churns_blocks(void)
{
	for (int i = 0; i < 50; i++) {
		void *p = sink = malloc(77);
		free(p);
	}
}

KEEP void moves_bytes(int fd)
{
	for (int i = 0; i < 5; i++)
		if (pwrite(fd, buffer, sizeof(buffer), 0) < 0 || pread(fd, buffer, 1000, 0) < 0)
			abort();
}

KEEP long counted_step(long i)
{
	__asm__ volatile("" ::: "memory");
	return i + 1;
}

KEEP void waits_for_lock(void)
{
	double start = now(CLOCK_MONOTONIC);
	pthread_mutex_lock(&mutex);
	waited += now(CLOCK_MONOTONIC) - start;
	pthread_mutex_unlock(&mutex);
}

static void *holder(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&both);
		pause_us(3000);
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&both);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int fd;

	if (argc < 3 || (fd = open(argv[2], O_RDWR | O_CREAT, 0600)) < 0)
		return 2;
	rounds = atoi(argv[1]);
	sleep(1); // whoever watches has its tables then
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, holder, NULL);
	for (int round = 0; round < rounds; round++) {
		spins();
		keeps_block();
		churns_blocks();
		moves_bytes(fd);
		for (int i = 0; i < 20; i++)
			counted_step(i);
		for (int i = 0; i < 10; i++)
			syscall(SYS_getppid);
		pthread_barrier_wait(&both);
		waits_for_lock();
		pthread_barrier_wait(&both);
	}
	pthread_join(thread, NULL);
	printf("%.0f %.0f\n", now(CLOCK_PROCESS_CPUTIME_ID), waited);
	fflush(stdout);
	_exit(0); // nothing is freed at the end
}
