// mixedthreads SECONDS: eight threads: two always run, two sleep, two play ping-pong over pipes, one sleeps
// and runs by turns, and main waits for them.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int ping[2], pong[2];
static double end;
static volatile uint64_t sink;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void burn(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += i;
}

static void *runner(void *x) { while (now() < end) burn(100000); return x; }
static void *sleeper(void *x) { while (now() < end) usleep(30000); return x; }
static void *both(void *x) { while (now() < end) { usleep(5000); burn(3000000); } return x; }

static void *player(void *x)
{
	int first = x != NULL;
	char c = 0;
	while (now() < end) {
		if (write(first ? ping[1] : pong[1], &c, 1) < 0 || read(first ? pong[0] : ping[0], &c, 1) < 0)
			break;
		usleep(1000);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t all[7];
	end = now() + atof(argv[1]);
	if (argc < 2 || pipe(ping) || pipe(pong))
		return 1;
	pthread_create(&all[0], NULL, runner, NULL);
	pthread_create(&all[1], NULL, runner, NULL);
	pthread_create(&all[2], NULL, sleeper, NULL);
	pthread_create(&all[3], NULL, sleeper, NULL);
	pthread_create(&all[4], NULL, player, NULL);
	pthread_create(&all[5], NULL, player, (void *)1);
	pthread_create(&all[6], NULL, both, NULL);
	for (int i = 0; i < 7; i++)
		pthread_join(all[i], NULL);
	return 0;
}
