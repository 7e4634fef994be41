// processevents LIBRARY: does one after another what the kernel reports as process events, and prints each
// with its time on CLOCK_MONOTONIC: a thread renames itself, a library is loaded, a child calls exec.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *library;

static void tell(const char *what, long number)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%s %ld %lld\n", what, number, t.tv_sec * 1000000000LL + t.tv_nsec);
	fflush(stdout);
}

static void *work(void *name)
{
	prctl(PR_SET_NAME, name);
	tell("thread", syscall(SYS_gettid));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	tell("start", getpid());
	pthread_create(&thread, NULL, work, "fam-worker");
	pthread_join(thread, NULL);
	library = dlopen(argv[1], RTLD_NOW);
	if (!library)
		return 1;
	tell("loaded", (long)dlsym(library, "run"));
	prctl(PR_SET_NAME, "fam-renamed");
	tell("renamed", getpid());
	pid_t child = fork();
	if (!child) {
		tell("forked", getpid());
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	tell("reaped", child);
	return 0;
}
