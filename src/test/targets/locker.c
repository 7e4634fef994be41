// locker KIND ROUNDS HOLD_MS: two threads, of which one holds a lock for HOLD_MS in each round while the
// other waits for it in waits_KIND. Prints the microseconds that it has waited by its own clock.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t semaphore;
static const char *kind;
static int rounds, hold_ms, ready;
static double waited;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void pause_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&t, NULL);
}

static int is(const char *what) { return !strcmp(kind, what); }

KEEP void waits_mutex(void) { pthread_mutex_lock(&mutex); }
KEEP void waits_rwlock(void) { pthread_rwlock_rdlock(&rwlock); }
KEEP void waits_semaphore(void) { sem_wait(&semaphore); }
KEEP void waits_condition(void)
{
	while (!ready)
		pthread_cond_wait(&condition, &other);
}
KEEP void releases_mutex(void) { pthread_mutex_unlock(&mutex); }

KEEP void hold(void)
{
	if (is("mutex"))
		pthread_mutex_lock(&mutex);
	else if (is("rwlock"))
		pthread_rwlock_wrlock(&rwlock);
	pthread_barrier_wait(&both);
	pause_ms(hold_ms);
	if (is("mutex"))
		releases_mutex();
	else if (is("rwlock"))
		pthread_rwlock_unlock(&rwlock);
	else if (is("semaphore"))
		sem_post(&semaphore);
	else {
		pthread_mutex_lock(&other);
		ready = 1;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&other);
	}
	pthread_barrier_wait(&both);
}

KEEP void wait_for_it(void)
{
	double start;

	pthread_barrier_wait(&both);
	start = now();
	if (is("mutex")) {
		waits_mutex();
		waited += now() - start;
		pthread_mutex_unlock(&mutex);
	} else if (is("rwlock")) {
		waits_rwlock();
		waited += now() - start;
		pthread_rwlock_unlock(&rwlock);
	} else if (is("semaphore")) {
		waits_semaphore();
		waited += now() - start;
	} else {
		pthread_mutex_lock(&other);
		waits_condition();
		waited += now() - start;
		ready = 0;
		pthread_mutex_unlock(&other);
	}
	pthread_barrier_wait(&both);
}

static void *holder(void *unused)
{
	prctl(PR_SET_NAME, "the-holder");
	for (int i = 0; i < rounds; i++)
		hold();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 4)
		return 2;
	kind = argv[1];
	rounds = atoi(argv[2]);
	hold_ms = atoi(argv[3]);
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, holder, NULL);
	for (int i = 0; i < rounds; i++)
		wait_for_it();
	pthread_join(thread, NULL);
	printf("%.0f\n", waited);
	return 0;
}
