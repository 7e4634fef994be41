// numanodes PAGES: touches PAGES pages in touches_node_0() that must lie in node 0, then as many in
// touches_node_1() that must lie in node 1; exits with 1 if there is no such node.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define PAGE 4096
#define BIND 2 /* MPOL_BIND of <numaif.h> */

static char *bound_to(unsigned long node, long pages)
{
	unsigned long nodes = 1UL << node;
	char *memory =
		mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || syscall(SYS_mbind, memory, pages * PAGE, BIND, &nodes, sizeof(nodes) * 8, 0))
		exit(1);
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	return memory;
}

static volatile int touched; /* so that the two functions are not one */

KEEP void touches_node_0(char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	touched = 1;
}

KEEP void touches_node_1(char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	touched = 2;
}

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 1000;
	char *near = bound_to(0, pages), *far = bound_to(1, pages);

	touches_node_0(near, pages);
	touches_node_1(far, pages);
	return 0;
}
