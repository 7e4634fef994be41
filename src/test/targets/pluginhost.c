// pluginhost LIBRARY MILLIS: loads a library and calls its run() until it has used MILLIS ms of CPU time.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library)
		return 1;
	void (*run)(int) = (void (*)(int))dlsym(library, "run");
	struct timespec t;
	do {
		run(200000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < atof(argv[2]));
	return 0;
}
