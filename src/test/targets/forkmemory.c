// forkmemory KIND N SIZE: memory across forks and across ends of threads.
//   free     a child frees what its parent allocated, and keeps as much of its own
//   threads  each block is kept by a thread that ends at once, in the middle of a call
//   serve    forks a child for each line of input; it allocates until it is ended
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static void *volatile sink;

KEEP void *leaks(size_t bytes) { return sink = malloc(bytes); }
KEEP void *child_keeps(size_t bytes) { return sink = malloc(bytes); }
KEEP void child_frees(void *p) { free(p); }

KEEP void *ends(void *size)
{
	leaks((size_t)size);
	pthread_exit(NULL);
}

KEEP void serve(size_t size)
{
	while (getchar() != EOF) {
		if (fork())
			continue;
		for (;;) {
			child_keeps(size);
			usleep(10000);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int n = atoi(argv[2]);
	size_t size = strtoul(argv[3], NULL, 10);
	void **all = calloc(n, sizeof(void *));

	if (!strcmp(argv[1], "serve"))
		serve(size);
	for (int i = 0; i < n; i++) {
		pthread_t thread;

		if (!strcmp(argv[1], "free"))
			all[i] = leaks(size);
		else if (!pthread_create(&thread, NULL, ends, (void *)size))
			pthread_join(thread, NULL);
	}
	if (!strcmp(argv[1], "free") && !fork()) {
		for (int i = 0; i < n; i++) {
			child_frees(all[i]);
			child_keeps(size);
		}
		_exit(0);
	}
	wait(NULL);
	_exit(0);
}
