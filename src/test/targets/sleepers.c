// sleepers THREADS TIMES MS: THREADS threads, the first one included, sleep TIMES times for MS each, each thread
// a little later than the one before.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline))

static int times, ms;

KEEP void rest(int millis)
{
	struct timespec t = { millis / 1000, millis % 1000 * 1000000L };
	nanosleep(&t, NULL);
}

static void *sleeper(void *number)
{
	rest((int)(long)number * 130);
	for (int i = 0; i < times; i++)
		rest(ms);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 4)
		return 2;
	times = atoi(argv[2]);
	ms = atoi(argv[3]);
	for (long i = 1; i < atoi(argv[1]); i++)
		pthread_create(&thread, NULL, sleeper, (void *)i);
	sleeper((void *)(atol(argv[1])));
	return 0;
}
