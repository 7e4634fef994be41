// directio FILE REQUESTS BYTES: writes BYTES to a file REQUESTS times in writes_directly and reads them again in
// reads_directly, past the page cache. Removes the file, unless it is a device.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

KEEP int writes_directly(int fd, char *buffer, long requests, long bytes)
{
	for (long i = 0; i < requests; i++)
		if (pwrite(fd, buffer, bytes, i * bytes) != bytes)
			return 0;
	return 1;
}

KEEP int reads_directly(int fd, char *buffer, long requests, long bytes)
{
	for (long i = 0; i < requests; i++)
		if (pread(fd, buffer, bytes, i * bytes) != bytes)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	long requests = argc > 3 ? atol(argv[2]) : 0, bytes = argc > 3 ? atol(argv[3]) : 0;
	struct stat status;
	char *buffer;
	int fd, ok;

	if (!requests || !bytes || posix_memalign((void **)&buffer, 4096, bytes))
		return 2;
	memset(buffer, 7, bytes);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	if (fd < 0)
		return 3;
	/* Where the file system can do it, so that writing changes nothing but data. */
	if (fallocate(fd, 0, 0, requests * bytes))
		errno = 0;
	ok = writes_directly(fd, buffer, requests, bytes) && !fsync(fd) &&
	     reads_directly(fd, buffer, requests, bytes);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		unlink(argv[1]);
	return ok ? 0 : 4;
}
