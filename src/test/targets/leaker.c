// leaker KIND N SIZE THREADS: allocates N blocks of SIZE bytes in each thread, by ways that a profiler of
// memory has to tell apart, and keeps, frees or changes them. Waits for a line on standard input at the
// end if WAIT is in the environment, so that it can be looked at.
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int blocks, threads;
static size_t size;
static const char *kind;
static void *volatile sink;

#define KEEP __attribute__((noinline))

KEEP void *leaks(size_t bytes) { return sink = malloc(bytes); }
KEEP void *frees(size_t bytes) { return sink = malloc(bytes); }
KEEP void *leaks_zeroed(size_t bytes) { return sink = calloc(1, bytes); }
KEEP void *leaks_aligned(size_t bytes)
{
	void *p = NULL;
	if (posix_memalign(&p, 64, bytes))
		abort();
	return sink = p;
}
KEEP void *leaks_memalign(size_t bytes) { return sink = aligned_alloc(64, (bytes + 63) / 64 * 64); }
KEEP void *grows(void *p, size_t bytes) { return sink = realloc(p, bytes); }
KEEP void *maps(size_t bytes)
{
	return sink = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
KEEP void free_first(void *p) { free(p); }
KEEP void free_again(void *p) { free(p); }
KEEP void *recursive(int depth, size_t bytes)
{
	void *p = depth ? recursive(depth - 1, bytes) : leaks(bytes);
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

KEEP void one(void)
{
	if (!strcmp(kind, "leak"))
		leaks(size);
	else if (!strcmp(kind, "free"))
		free_first(frees(size));
	else if (!strcmp(kind, "half")) {
		leaks(size);
		free_first(frees(size));
	} else if (!strcmp(kind, "calloc"))
		leaks_zeroed(size);
	else if (!strcmp(kind, "memalign"))
		leaks_memalign(size);
	else if (!strcmp(kind, "posix_memalign"))
		leaks_aligned(size);
	else if (!strcmp(kind, "realloc"))
		grows(frees(16), size);
	else if (!strcmp(kind, "mmap"))
		maps(size);
	else if (!strcmp(kind, "unmap"))
		munmap(maps(size), size);
	else if (!strcmp(kind, "recursive"))
		recursive(50, size);
	else if (!strcmp(kind, "double")) {
		void *p = frees(size), *other = leaks(size);
		free_first(p);
		free_again(p); // the C library aborts
		sink = other;
	} else if (!strcmp(kind, "invalid"))
		free_again((char *)leaks(size) + 16);
}

KEEP void *worker(void *unused)
{
	for (int i = 0; i < blocks; i++)
		one();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t all[64];

	if (argc < 5)
		return 2;
	kind = argv[1];
	blocks = atoi(argv[2]);
	size = strtoul(argv[3], NULL, 10);
	threads = atoi(argv[4]);
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, worker, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	if (getenv("WAIT")) {
		puts("done");
		fflush(stdout);
		getchar();
	}
	_exit(0); // nothing is freed at the end
}
