// spawnstorm RATE SECONDS: starts /bin/true RATE times per second, or as often as it can. Prints how many times.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double rate = atof(argv[1]), seconds = atof(argv[2]), start = now();
	char *command[] = { "/bin/true", NULL };
	long count = 0;

	while (now() - start < seconds) {
		pid_t pid;
		double due = start + count / rate;
		struct timespec at = { due, (due - (long)due) * 1e9 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		if (posix_spawn(&pid, command[0], NULL, NULL, command, environ) == 0)
			count++;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("%ld\n", count);
	return 0;
}
