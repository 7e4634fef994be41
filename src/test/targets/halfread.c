// halfread FILE PAGES CHUNK [WAY]: makes a file of so many pages, drops it from the page cache and reads its
// first half in chunks of so many pages, in reads_half; with a WAY of "map" touches its first page in
// touches_page instead, with "advise" asks for all of it in advises first. Prints "CACHED HALF": how many
// pages have come into the cache then, and how many of them it read. Removes the file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define PAGE 4096L

static volatile char sink;

KEEP int reads_half(int fd, char *buffer, long pages, long chunk)
{
	for (long done = 0; done < pages; done += chunk)
		if (read(fd, buffer, chunk * PAGE) != chunk * PAGE)
			return 0;
	return 1;
}

KEEP int touches_page(volatile char *memory)
{
	sink += memory[0];
	return 1;
}

KEEP int advises(int fd, long pages)
{
	return !readahead(fd, 0, pages * PAGE);
}

static long cached(void *memory, long pages)
{
	unsigned char *there = malloc(pages);
	long sum = 0;

	if (mincore(memory, pages * PAGE, there))
		exit(7);
	for (long i = 0; i < pages; i++)
		sum += there[i] & 1;
	free(there);
	return sum;
}

/* All that were read since the file was dropped. cachestat(2), since 6.5: those that are on their way too. */
static long read_at_last(int fd, void *memory, long pages)
{
	unsigned long long range[2] = { 0, 0 }, stat[5]; /* cached, dirty, written back, evicted, lately */
	long before, now;

	if (!syscall(451, fd, range, stat, 0))
		return stat[0] + stat[3];
	now = cached(memory, pages);
	do {
		before = now;
		usleep(300000);
		now = cached(memory, pages);
	} while (now != before);
	return now;
}

static int make(const char *path, long pages)
{
	char page[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memset(page, 7, sizeof(page));
	for (long i = 0; i < pages && fd >= 0; i++)
		if (write(fd, page, sizeof(page)) != PAGE)
			return -1;
	if (fd < 0 || fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) || lseek(fd, 0, SEEK_SET))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	const char *way = argc > 4 ? argv[4] : "read";
	long pages, chunk, read;
	char *memory, *buffer;
	int fd, ok;

	if (argc < 4)
		return 2;
	pages = atol(argv[2]);
	chunk = atol(argv[3]);
	read = strcmp(way, "map") ? pages / 2 : 1;
	fd = make(argv[1], pages);
	buffer = malloc(chunk * PAGE);
	memory = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || !buffer || memory == MAP_FAILED)
		return 3;
	unlink(argv[1]);
	if (cached(memory, pages))
		return 4; /* it could not be dropped: no disk, or it is not written yet */
	ok = strcmp(way, "advise") || advises(fd, pages);
	ok = ok && (strcmp(way, "map") ? reads_half(fd, buffer, read, chunk) : touches_page(memory));
	printf("%ld %ld\n", read_at_last(fd, memory, pages), read);
	return ok ? 0 : 5;
}
