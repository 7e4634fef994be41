// appenders THREADS ROUNDS FILE: THREADS threads append to one file, which the kernel locks for each write.
// Prints nothing: a tool that watches the kernel's locks sees how long the threads waited.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char buffer[65536];
static const char *path;
static int rounds;

__attribute__((noinline)) void append(int fd)
{
	if (write(fd, buffer, sizeof(buffer)) < 0)
		abort();
}

static void *worker(void *unused)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);

	for (int i = 0; i < rounds; i++) {
		append(fd);
		if (i % 64 == 63 && ftruncate(fd, 0))
			abort();
	}
	close(fd);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t all[64];
	int threads;

	if (argc < 4 || (threads = atoi(argv[1])) > 64)
		return 2;
	rounds = atoi(argv[2]);
	path = argv[3];
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, worker, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}
