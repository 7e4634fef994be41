// leaker KIND N SIZE: memory by operators new and delete, of which some is kept.
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

#define KEEP __attribute__((noinline))

struct alignas(64) Line {
	char bytes[64];
};

static char *volatile sink;
static Line *volatile line;

KEEP char *leaks(size_t bytes) { return sink = new char[bytes]; }
KEEP char *frees(size_t bytes) { return sink = new char[bytes]; }
KEEP char *leaks_nothrow(size_t bytes) { return sink = new (std::nothrow) char[bytes]; }
KEEP Line *leaks_aligned() { return line = new Line; }
KEEP Line *frees_aligned() { return line = new Line; }
KEEP char *throws(size_t bytes) { return sink = new char[bytes]; }

KEEP char *deeper(int depth, size_t bytes)
{
	char *p = depth ? deeper(depth - 1, bytes) : leaks(bytes);
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

KEEP void one(const char *kind, size_t bytes)
{
	if (!strcmp(kind, "array")) {
		leaks(bytes);
		delete[] frees(bytes);
	} else if (!strcmp(kind, "one")) {
		leaks(bytes);
		::operator delete(frees(bytes), bytes);
	} else if (!strcmp(kind, "nothrow")) {
		leaks_nothrow(bytes);
		delete[] frees(bytes);
	} else if (!strcmp(kind, "aligned")) {
		leaks_aligned();
		delete frees_aligned();
	} else if (!strcmp(kind, "throw")) {
		try {
			throws((size_t)1 << 60);
		} catch (std::bad_alloc &) {
			deeper(20, bytes);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	for (int i = 0; i < atoi(argv[2]); i++)
		one(argv[1], strtoul(argv[3], NULL, 10));
	_exit(0);
}
