// freshstacks: allocates and frees one block after another, each time with a new stack, until it is ended; no
// block is freed twice.
#include <stdint.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

static void *volatile kept;

static void step(uint64_t way, int depth);

KEEP static void frees_here(void *p)
{
	free(p);
	__asm__ volatile("");
}

KEEP static void frees_there(void *p)
{
	char room[64];

	__asm__ volatile("" : : "r"(room) : "memory");
	free(p);
	__asm__ volatile("" : : "r"(room) : "memory");
}

KEEP static void left(uint64_t way, int depth)
{
	step(way, depth);
	__asm__ volatile("");
}

KEEP static void right(uint64_t way, int depth)
{
	step(way, depth);
	__asm__ volatile("");
}

KEEP static void step(uint64_t way, int depth)
{
	if (depth == 12) {
		kept = malloc(200);
		if (way & 1)
			frees_here(kept);
		else
			frees_there(kept);
		return;
	}
	if (way & 1)
		left(way >> 1, depth + 1);
	else
		right(way >> 1, depth + 1);
}

int main(void)
{
	for (uint64_t way = 1;; way = way * 6364136223846793005ULL + 1442695040888963407ULL)
		step(way >> 20, 0);
}
