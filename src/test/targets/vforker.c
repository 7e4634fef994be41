// vforker N: N children of vfork allocate a block each in their parent's memory; the parent frees it.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile block;

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < count; i++) {
		pid_t child = vfork();

		if (!child) {
			block = malloc(3000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		free(block);
	}
	return 0;
}
