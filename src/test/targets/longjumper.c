// longjumper N SIZE, linked with ownalloc: leaves malloc by a longjmp, then allocates from deeper frames.
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

extern jmp_buf own_way_out;
extern int own_may_leave;
static void *volatile sink;

#define KEEP __attribute__((noinline))

KEEP void never(void) { sink = malloc(12345); }
KEEP void *leaks(size_t bytes) { return sink = malloc(bytes); }
KEEP void *deeper(int depth, size_t bytes)
{
	void *p = depth ? deeper(depth - 1, bytes) : leaks(bytes);
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	own_may_leave = 1;
	for (volatile int i = 0; i < atoi(argv[1]); i++)
		if (!setjmp(own_way_out))
			never();
		else
			deeper(20, strtoul(argv[2], NULL, 10));
	_exit(0);
}
