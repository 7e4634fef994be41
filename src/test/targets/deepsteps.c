// deepsteps DEPTH MILLIONS: works for MILLIONS million steps at the end of DEPTH calls; prints the seconds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void work(long steps)
{
	for (long i = 0; i < steps; i++)
		sink += i;
}

__attribute__((noinline)) static int descend(int depth, long steps)
{
	volatile char room[32]; // so that each frame has some
	room[depth & 31] = depth;
	if (depth == 1)
		work(steps);
	else
		descend(depth - 1, steps);
	return room[depth & 31];
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	descend(atoi(argv[1]), atol(argv[2]) * 1000000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.6f\n", b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9);
	return 0;
}
