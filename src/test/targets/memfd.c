// memfd LIBRARY: loads a copy of a library that exists in memory only, prints the address of its run(), and
// waits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char buffer[65536], path[64];
	int from = open(argv[1], O_RDONLY), to = memfd_create("jit lib", 0);
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		write(to, buffer, n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	void *library = dlopen(path, RTLD_NOW);
	printf("%lx\n", library ? (long)dlsym(library, "run") : 0);
	fflush(stdout);
	close(to);
	pause();
	return 0;
}
