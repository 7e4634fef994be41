// cached FILE PAGES CHUNK WAY: makes a file of so many pages, drops it from the page cache and goes through it
// twice, in goes_cold and in goes_warm, by a WAY of
//   read     read(2) of chunks of so many pages      map     touching each page of a mapping
//   random   pread(2) of one page in three, backwards, with advice that this is random
//   bytes    read(2) of chunks of so many bytes      send    sendfile(2) of so many pages at a time
//   written  as read, but without dropping it: what was written is there
// Prints how many pages it looks at each time. Removes the file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define PAGE 4096L

static volatile char sink;
static long pages, chunk;

static int make(const char *path, int drop)
{
	char page[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memset(page, 7, sizeof(page));
	for (long i = 0; i < pages && fd >= 0; i++)
		if (write(fd, page, sizeof(page)) != PAGE)
			return -1;
	if (fd < 0 || fsync(fd) || (drop && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)))
		return -1;
	return fd;
}

static long by_reads(int fd, long bytes)
{
	char *buffer = malloc(bytes);
	long sum = 0, n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buffer, bytes)) > 0)
		sum += n;
	free(buffer);
	return sum / PAGE;
}

static long by_random_reads(int fd)
{
	char page[PAGE];
	long seen = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (long i = pages - 1; i >= 0; i -= 3)
		seen += pread(fd, page, PAGE, i * PAGE) == PAGE;
	return seen;
}

static long by_mapping(int fd)
{
	volatile char *memory = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		exit(6);
	for (long i = 0; i < pages; i++)
		sink += memory[i * PAGE];
	munmap((void *)memory, pages * PAGE);
	return pages;
}

static long by_sending(int fd)
{
	int to = open("/dev/null", O_WRONLY);
	off_t at = 0;
	long n, sum = 0;

	while ((n = sendfile(to, fd, &at, chunk * PAGE)) > 0)
		sum += n;
	close(to);
	return sum / PAGE;
}

static long go(int fd, const char *way)
{
	if (!strcmp(way, "map"))
		return by_mapping(fd);
	if (!strcmp(way, "random"))
		return by_random_reads(fd);
	if (!strcmp(way, "send"))
		return by_sending(fd);
	return by_reads(fd, strcmp(way, "bytes") ? chunk * PAGE : chunk);
}

KEEP long goes_cold(int fd, const char *way)
{
	long seen = go(fd, way);

	sink++;
	return seen;
}

KEEP long goes_warm(int fd, const char *way)
{
	long seen = go(fd, way);

	sink--;
	return seen;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 5)
		return 2;
	pages = atol(argv[2]);
	chunk = atol(argv[3]);
	fd = make(argv[1], strcmp(argv[4], "written"));
	if (fd < 0)
		return 3;
	unlink(argv[1]);
	printf("%ld", goes_cold(fd, argv[4]));
	printf(" %ld\n", goes_warm(fd, argv[4]));
	return 0;
}
