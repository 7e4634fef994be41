// untouchedframe: works for 5 ms in a function whose caller has a large local array that nobody touches.
#include <time.h>

#define KEEP __attribute__((noinline))

KEEP static void inner(char *unused)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 5000000);
	asm volatile("" : : "r"(unused) : "memory");
}

KEEP static void outer(void)
{
	char large[40000];

	inner(large);
	asm volatile("" : : "r"(large) : "memory");
}

int main(void)
{
	outer();
	return 0;
}
