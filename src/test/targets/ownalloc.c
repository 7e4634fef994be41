// An allocator that never takes memory back, preloaded into other programs. A request for 12345 bytes does not
// return: it leaves by a longjmp to where the program said.
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

static char memory[64 << 20] __attribute__((aligned(64)));
static size_t used;
jmp_buf own_way_out;
int own_may_leave;

__attribute__((noinline)) void *malloc(size_t size)
{
	if (own_may_leave && size == 12345)
		longjmp(own_way_out, 1);
	size_t at = __atomic_fetch_add(&used, (size + 63) & ~(size_t)63, __ATOMIC_RELAXED);
	return at + size < sizeof(memory) ? memory + at : NULL;
}

__attribute__((noinline)) void free(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

void *calloc(size_t n, size_t size) { return malloc(n * size); } // never used before: it is zero

void *realloc(void *old, size_t size)
{
	void *p = malloc(size);
	if (p && old)
		memcpy(p, old, size); // reads too far, which is all ours
	return p;
}
