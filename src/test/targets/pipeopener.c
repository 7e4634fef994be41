// pipeopener N: for each line that it reads, opens N pipes in keeps_pipes() and keeps them, and opens and closes
// N pipes in drops_pipes(); then it prints "done".
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

KEEP void keeps_pipes(int count)
{
	int ends[2];

	for (int i = 0; i < count; i++)
		if (pipe(ends))
			abort();
}

KEEP void drops_pipes(int count)
{
	int ends[2];

	for (int i = 0; i < count; i++) {
		if (pipe(ends))
			abort();
		close(ends[0]);
		close(ends[1]);
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100;
	struct rlimit limit;
	char line[64];

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (fgets(line, sizeof(line), stdin)) {
		keeps_pipes(count);
		drops_pipes(count);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
