// allocrounds N SIZE: for each line that it reads, allocates N blocks in keeps() and keeps them, and allocates
// and frees N blocks in drops(); then it prints "done".
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

static void *volatile sink;

KEEP void keeps(size_t size)
{
	sink = malloc(size);
}

KEEP void drops(size_t size)
{
	void *p = sink = malloc(size);
	free(p);
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	static char in[4096], out[4096];
	char line[64];

	setvbuf(stdin, in, _IOFBF, sizeof(in)); // they allocate nothing themselves
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < count; i++) {
			keeps(size);
			drops(size);
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}
