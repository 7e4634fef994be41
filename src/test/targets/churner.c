// churner PAIRS_PER_SECOND SIZE: allocates and frees PAIRS_PER_SECOND times per second in churns(), and keeps
// every thousandth block in keeps(), until it is ended.
#include <stdlib.h>
#include <time.h>

static void *volatile sink;

__attribute__((noinline)) void churns(size_t bytes)
{
	void *p = sink = malloc(bytes);
	free(p);
}

__attribute__((noinline)) void keeps(size_t bytes)
{
	sink = malloc(bytes);
}

int main(int argc, char **argv)
{
	int rate = argc > 1 ? atoi(argv[1]) : 1000;
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 64;
	struct timespec pause = { 0, 10000000 };

	for (;;) {
		for (int i = 0; i < rate / 100; i++) {
			churns(size);
			if (i % 1000 == 0)
				keeps(size);
		}
		nanosleep(&pause, NULL);
	}
}
