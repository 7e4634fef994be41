// forker PROCESSES THREADS: starts PROCESSES processes, then THREADS threads, one after another, in a function
// for each kind.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused)
{
	return unused;
}

__attribute__((noinline)) void starts_processes(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

__attribute__((noinline)) void starts_threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	usleep(300000); // whoever watches has its tables by then
	starts_processes(argc > 1 ? atoi(argv[1]) : 1);
	starts_threads(argc > 2 ? atoi(argv[2]) : 1);
	return 0;
}
