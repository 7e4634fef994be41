// faulter PAGES FILE: touches so many fresh pages of memory in touch, then as many pages of a file that
// was dropped from the page cache in touch_file. Prints the minor and major faults of both by the
// kernel's own account: "MINOR MAJOR FILE_MINOR FILE_MAJOR".
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define PAGE 4096

static volatile char sink;

KEEP void touch(volatile char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
}

KEEP void touch_file(volatile char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		sink += memory[i * PAGE];
}

int main(int argc, char **argv)
{
	long pages = argc > 2 ? atol(argv[1]) : 0;
	struct rusage before, between, after;
	char *fresh, *mapped;
	int fd;

	if (!pages)
		return 2;
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return 3;
	for (long i = 0; i < pages; i++)
		if (write(fd, argv[0], 1) != 1 || lseek(fd, (i + 1) * PAGE, SEEK_SET) < 0)
			return 4;
	if (ftruncate(fd, pages * PAGE) || fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		return 5;
	fresh = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (fresh == MAP_FAILED || mapped == MAP_FAILED)
		return 6;
	madvise(fresh, pages * PAGE, MADV_NOHUGEPAGE);
	madvise(mapped, pages * PAGE, MADV_RANDOM);
	getrusage(RUSAGE_SELF, &before);
	getrusage(RUSAGE_SELF, &before);
	touch(fresh, pages);
	getrusage(RUSAGE_SELF, &between);
	touch_file(mapped, pages);
	getrusage(RUSAGE_SELF, &after);
	unlink(argv[2]);
	printf("%ld %ld %ld %ld\n", between.ru_minflt - before.ru_minflt,
	       between.ru_majflt - before.ru_majflt, after.ru_minflt - between.ru_minflt,
	       after.ru_majflt - between.ru_majflt);
	return 0;
}
