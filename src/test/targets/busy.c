// busy MILLIS: burns that much CPU in a function whose name is chosen when compiling: -DWORK=name.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#ifndef WORK
#define WORK busy_work
#endif

static volatile uint64_t sink;

__attribute__((noinline)) void WORK(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	double millis = argc > 1 ? atof(argv[1]) : 1000;
	struct timespec t;
	do {
		WORK(200000); // half a millisecond or so
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < millis);
	return 0;
}
