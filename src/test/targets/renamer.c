// renamer TURNS: renames itself to hop-0, hop-1, … on one CPU after another, so that the kernel reports each
// new name in the ring buffer of another CPU.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (int i = 0; i < atoi(argv[1]); i++) {
		cpu_set_t set;
		char name[16];
		CPU_ZERO(&set);
		CPU_SET(i % cpus, &set);
		sched_setaffinity(0, sizeof(set), &set);
		snprintf(name, sizeof(name), "hop-%d", i);
		prctl(PR_SET_NAME, name);
	}
	printf("%d\n", getpid());
	return 0;
}
