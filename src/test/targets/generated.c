// generated anonymous|memfd SECONDS: runs code that it has put into memory, as a run-time compiler does. The code
// keeps no frame pointer: it counts in rbp.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const unsigned char CODE[] = {
	0x55, // push rbp
	0xbd, 0x00, 0x00, 0x10, 0x00, // mov ebp, 0x100000
	0xff, 0xcd, // dec ebp
	0x75, 0xfc, // jnz to that
	0x5d, // pop rbp
	0xc3, // ret
};

static void *memory(const char *kind)
{
	int file = -1;

	if (!strcmp(kind, "memfd")) {
		file = memfd_create("code", 0);
		ftruncate(file, 4096);
	}
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
		    file, 0);
}

int main(int argc, char **argv)
{
	void (*code)(void) = memory(argv[1]);
	time_t end = time(NULL) + atoi(argv[2]);

	memcpy(code, CODE, sizeof(CODE));
	while (time(NULL) <= end)
		code();
	return 0;
}
