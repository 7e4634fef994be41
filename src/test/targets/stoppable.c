// stoppable KIND: a process for `plumb stack` to stop and look at; prints "ready" when there is something to see.
//   many N    N threads, each waiting in a call of its own: pause, read, nanosleep, futex by turns
//   count     counts what a stop could break, until it reads a line: "spun N interrupted N lost N"
//   vfork     the first thread waits 3 s for its vfork child, which nothing can stop; another one counts
//   leader    the first thread ends, another one goes on
//   zombie    a child that ended and that nobody waits for; prints its pid
//   short     ends after a few ms
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static volatile int done, over, word;
static volatile unsigned long spun, interrupted, handled, sent;

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static long call_futex(volatile int *at, const struct timespec *timeout)
{
	return syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, 0, timeout, NULL, 0);
}

KEEP void wait_somehow(int how)
{
	static int other[2];
	struct timespec day = { .tv_sec = 86400 };
	char c;

	switch (how) {
	case 0:
		pause();
		break;
	case 1:
		if (pipe(other) == 0 && read(other[0], &c, 1) < 0)
			spun++;
		break;
	case 2:
		nanosleep(&day, NULL);
		break;
	default:
		call_futex(&word, NULL);
	}
	spun++;
}

KEEP void *worker(void *number)
{
	wait_somehow((long)number % 4);
	spun++;
	return number;
}

KEEP void *spin(void *unused)
{
	while (!over)
		spun++;
	return unused;
}

static void on_signal(int number)
{
	handled += number != 0;
}

/* Sleeps 30 ms again and again: neither cut short nor interrupted. */
KEEP void *sleep_on(void *unused)
{
	while (!done) {
		struct timespec before, after, nap = { .tv_nsec = 30000000 };
		clock_gettime(CLOCK_MONOTONIC, &before);
		interrupted += nanosleep(&nap, NULL) != 0;
		clock_gettime(CLOCK_MONOTONIC, &after);
		interrupted += (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec < 30000000;
	}
	return unused;
}

KEEP void *wait_on(void *unused)
{
	struct timespec nap = { .tv_nsec = 40000000 };
	while (!done)
		interrupted += call_futex(&word, &nap) != -1 || errno != ETIMEDOUT;
	return unused;
}

KEEP void *poll_on(void *unused)
{
	int pipes[2];
	struct pollfd fd = { .events = POLLIN };
	if (pipe(pipes))
		return unused;
	fd.fd = pipes[0];
	while (!done)
		interrupted += poll(&fd, 1, 25) != 0;
	return unused;
}

/* Real-time signals are queued: each one that was sent has to be handled. There is always one on its way. */
KEEP void *send_on(void *to)
{
	union sigval value = { 0 };
	while (!done) {
		if (pthread_sigqueue(*(pthread_t *)to, SIGRTMIN, value) == 0)
			sent++;
		for (int i = 0; i < 1000 && sent > handled + 20; i++)
			usleep(10);
	}
	return to;
}

static int count(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t spinner, others[4];
	char line[8];

	sigaction(SIGRTMIN, &action, NULL);
	pthread_create(&spinner, NULL, spin, NULL);
	pthread_create(&others[0], NULL, sleep_on, NULL);
	pthread_create(&others[1], NULL, wait_on, NULL);
	pthread_create(&others[2], NULL, poll_on, NULL);
	pthread_create(&others[3], NULL, send_on, &spinner);
	ready();
	interrupted += read(0, line, sizeof(line)) <= 0;
	done = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(others[i], NULL);
	usleep(20000); // so that the last signal is handled, too
	over = 1;
	pthread_join(spinner, NULL);
	printf("spun %lu interrupted %lu lost %ld of %lu\n", spun, interrupted, (long)(sent - handled), sent);
	return 0;
}

KEEP int many(int threads)
{
	pthread_t thread;
	for (long i = 1; i < threads; i++)
		pthread_create(&thread, NULL, worker, (void *)i);
	usleep(100000);
	ready();
	worker(0);
	return 0;
}

static int wait_unstoppably(void)
{
	pthread_t spinner;
	pthread_create(&spinner, NULL, spin, NULL);
	usleep(10000);
	ready();
	if (vfork() == 0) {
		struct timespec nap = { .tv_sec = 3 };
		syscall(SYS_nanosleep, &nap, NULL);
		_exit(0);
	}
	puts("waited");
	fflush(stdout);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (!strcmp(kind, "many"))
		return many(atoi(argv[2]));
	if (!strcmp(kind, "count"))
		return count();
	if (!strcmp(kind, "vfork"))
		return wait_unstoppably();
	if (!strcmp(kind, "leader")) {
		pthread_create(&thread, NULL, worker, NULL);
		ready();
		pthread_exit(NULL);
	}
	if (!strcmp(kind, "zombie")) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		usleep(50000);
		printf("%d\n", child);
		fflush(stdout);
		pause();
	}
	if (!strcmp(kind, "short")) {
		for (int i = 0; i < 8; i++)
			pthread_create(&thread, NULL, spin, NULL);
		ready();
		usleep(argc > 2 ? atoi(argv[2]) : 5000);
	}
	return 2;
}
