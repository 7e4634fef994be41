// A small JIT: makes code, tells of it in jit-PID.dump as Linux's
// tools/perf/Documentation/jitdump-specification.txt says, moves it, and runs it for a while.
//   jitdump FOLDER [swap]      swap: writes the file in the other byte order
// Prints "NAME ADDRESS SIZE FROM TO" for each stretch of time in which code ran there (hexadecimal
// addresses, CLOCK_MONOTONIC), then waits for its input to end.
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LOAD = 0, MOVE = 1, LINES = 2, CLOSE = 3 };

static int swapped;
static FILE *out;

static void u32(uint32_t v) {
	v = swapped ? __builtin_bswap32(v) : v;
	fwrite(&v, 4, 1, out);
}

static void u64(uint64_t v) {
	v = swapped ? __builtin_bswap64(v) : v;
	fwrite(&v, 8, 1, out);
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void record(uint32_t kind, uint32_t size) {
	u32(kind);
	u32(size);
	u64(now());
}

// mov ecx, 100000; 1: dec ecx; jnz 1b; ret; nops, so that the rest of its space is code too
static const unsigned char spin[] = {0xb9, 0xa0, 0x86, 0x01, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
enum { SIZE = 64 };

static void make(unsigned char *at) {
	memset(at, 0x90, SIZE);
	memcpy(at, spin, sizeof(spin));
}

// Line 10 is the start, line 11 the loop, line 12 of another file the end.
static void tell_lines(unsigned char *at, const char *file) {
	size_t name = strlen(file) + 1;
	record(LINES, 32 + 16 + name + 16 + 2 + 16 + 9);
	u64((uintptr_t)at);
	u64(3);
	u64((uintptr_t)at);
	u32(10);
	u32(0);
	fwrite(file, name, 1, out);
	u64((uintptr_t)at + 5);
	u32(11);
	u32(0);
	fwrite("\xff", 2, 1, out);
	u64((uintptr_t)at + 9);
	u32(12);
	u32(0);
	fwrite("other.js", 9, 1, out);
}

static void tell_load(unsigned char *at, const char *name, uint64_t index) {
	record(LOAD, 56 + strlen(name) + 1 + SIZE);
	u32(getpid());
	u32(getpid());
	u64((uintptr_t)at);
	u64((uintptr_t)at);
	u64(SIZE);
	u64(index);
	fwrite(name, strlen(name) + 1, 1, out);
	fwrite(at, SIZE, 1, out);
	fflush(out);
}

static void tell_move(unsigned char *from, unsigned char *to, uint64_t index) {
	record(MOVE, 64);
	u32(getpid());
	u32(getpid());
	u64((uintptr_t)to);
	u64((uintptr_t)from);
	u64((uintptr_t)to);
	u64(SIZE);
	u64(index);
	fflush(out);
}

static void run(const char *name, unsigned char *at) {
	uint64_t from = now(), to;
	do {
		((void (*)(void))at)();
		to = now();
	} while (to - from < 200000000);
	printf("%s %llx %x %llu %llu\n", name, (unsigned long long)(uintptr_t)at, SIZE,
	       (unsigned long long)from, (unsigned long long)to);
}

int main(int argc, char **argv) {
	char path[4096];
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], getpid());
	swapped = argc > 2;
	out = fopen(path, "w+");
	if (!out)
		return 1;
	u32(0x4a695444);
	u32(1);
	u32(40);
	u32(EM_X86_64);
	u32(0);
	u32(getpid());
	u64(now());
	u64(0);
	fflush(out);
	// For the profiler to see it.
	mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0);

	unsigned char *code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *first = code, *second = code + 8192;
	make(first);
	tell_lines(first, "alpha.js");
	tell_load(first, "alpha", 1);
	run("alpha", first);

	make(second);
	tell_move(first, second, 1);
	tell_load(first, "beta with blanks", 2);
	run("alpha", second);
	run("beta", first);

	tell_move(second, code + 16384, 1);
	make(code + 16384);
	run("alpha", code + 16384);
	puts("done");
	fflush(stdout);
	while (getchar() != EOF)
		;
	record(CLOSE, 16);
	fclose(out);
	return 0;
}
