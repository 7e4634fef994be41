// manystacks THREADS CPU_SECONDS: calls eight functions in random order, 17 deep, so that there are far more
// distinct stacks than a recording has samples.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static double seconds;
static volatile uint64_t sink;

static void step(uint64_t way, int depth);

#define ROOM(n)                                                         \
	__attribute__((noinline)) void room_##n(uint64_t way, int depth) \
	{                                                               \
		step(way, depth);                                       \
		sink += n;                                              \
	}
ROOM(0) ROOM(1) ROOM(2) ROOM(3) ROOM(4) ROOM(5) ROOM(6) ROOM(7)
static void (*const rooms[8])(uint64_t, int) = { room_0, room_1, room_2, room_3, room_4, room_5, room_6, room_7 };

__attribute__((noinline)) static void step(uint64_t way, int depth)
{
	if (depth == 17) {
		for (int i = 0; i < 20000; i++)
			sink += way;
		return;
	}
	rooms[way & 7](way >> 3, depth + 1);
}

static void *walk(void *seed)
{
	uint64_t random = (uintptr_t)seed * 7919 + 1;
	struct timespec t;
	do {
		random = random * 6364136223846793005u + 1442695040888963407u;
		step((random >> 50) * 0x9e3779b97f4a7c15u >> 13, 0); // one of 2^14 ways
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec < seconds);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]);
	seconds = atof(argv[2]);
	pthread_t all[64];
	for (int i = 1; i < threads; i++)
		pthread_create(&all[i], NULL, walk, (void *)(uintptr_t)i);
	walk(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(all[i], NULL);
	return argc == 0;
}
