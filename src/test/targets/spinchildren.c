// spinchildren MS SECONDS: forks one child after another; each one spins for MS and never calls exec.
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

KEEP void spin_child(double until)
{
	while (now() < until)
		;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 2 ? atof(argv[2]) : 1);

	while (now() < end) {
		pid_t child = fork();

		if (!child) {
			spin_child(now() + atof(argv[1]) / 1e3);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
