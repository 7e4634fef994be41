// manylibs FOLDER LIBRARIES PROCESSES EACH MICROSECONDS: starts PROCESSES processes. Each one loads EACH of
// the LIBRARIES libraries lib0.so, lib1.so, … in FOLDER (others than its neighbours) and spends MICROSECONDS
// in each. Two processes are busy at a time; all of them stay until the last one is done.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static int done[2], stay[2];

KEEP int visit(const char *folder, int number, int microseconds)
{
	char path[4096];
	int (*work)(int);
	snprintf(path, sizeof(path), "%s/lib%d.so", folder, number);
	void *library = dlopen(path, RTLD_NOW);
	if (!library || !(work = (int (*)(int))dlsym(library, "work"))) {
		fprintf(stderr, "%s\n", dlerror());
		return 0;
	}
	return work(microseconds) + 1;
}

KEEP int visitor(char **argv, int process)
{
	int libraries = atoi(argv[2]), each = atoi(argv[4]), sum = 0;
	char byte = 0;
	for (int i = 0; i < each; i++)
		sum += visit(argv[1], (process * each + i) % libraries, atoi(argv[5]));
	close(stay[1]);
	if (write(done[1], &byte, 1) != 1 || read(stay[0], &byte, 1) < 0)
		return 1;
	return sum == 0;
}

int main(int argc, char **argv)
{
	if (argc < 6 || pipe(done) || pipe(stay))
		return 2;
	int processes = atoi(argv[3]), failed = 0, status;
	char byte;
	for (int i = 0; i < processes; i++) {
		int pid = fork();
		if (pid < 0)
			return 1;
		if (!pid)
			_exit(visitor(argv, i));
		if (i) // two of them are busy at a time
			failed += read(done[0], &byte, 1) != 1;
	}
	failed += read(done[0], &byte, 1) != 1;
	close(stay[1]);
	while (wait(&status) > 0)
		failed += status != 0;
	return failed != 0;
}
