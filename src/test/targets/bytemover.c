// bytemover FOLDER: moves bytes through files, pipes and sockets by most of the system calls there are for
// this, each a known number of times; some calls fail. Each kind has a function of its own. Before that it
// makes one call and waits, so that a watcher can make its unwind tables.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define TIMES 50

static char buffer[8192];
static struct iovec parts[2] = { { buffer, 1000 }, { buffer + 1000, 3000 } };

KEEP void file(int fd)
{
	for (int i = 0; i < TIMES; i++)
		if (write(fd, buffer, 4096) != 4096)
			abort();
	for (int i = 0; i < TIMES; i++)
		if (pwrite(fd, buffer, 100, i) != 100 || pread(fd, buffer, 200, i) != 200)
			abort();
	if (lseek(fd, 0, SEEK_SET) < 0)
		abort();
	for (int i = 0; i < TIMES / 2; i++)
		if (readv(fd, parts, 2) != 4000 || writev(fd, parts, 1) != 1000)
			abort();
	while (read(fd, buffer, sizeof(buffer)) > 0) // the last one gets nothing
		;
}

KEEP void through_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		abort();
	for (int i = 0; i < TIMES; i++)
		if (write(ends[1], buffer, 300) != 300 || read(ends[0], buffer, 8192) != 300)
			abort();
}

KEEP void through_socket(void)
{
	int ends[2];
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	for (int i = 0; i < TIMES; i++) {
		if (sendto(ends[0], buffer, 700, 0, NULL, 0) != 700 ||
		    recvfrom(ends[1], buffer, 8192, 0, NULL, NULL) != 700)
			abort();
		if (sendmsg(ends[0], &message, 0) != 4000 || recvmsg(ends[1], &message, 0) != 4000)
			abort();
	}
}

KEEP void copies(int from, int to)
{
	off_t at = 0;

	for (int i = 0; i < 10; i++) {
		at = 0;
		if (sendfile(to, from, &at, 5000) != 5000)
			abort();
	}
	lseek(from, 0, SEEK_SET);
	for (int i = 0; i < 10; i++)
		if (copy_file_range(from, NULL, to, NULL, 1000, 0) != 1000)
			abort();
}

KEEP void fails(void)
{
	for (int i = 0; i < TIMES; i++)
		if (read(-1, buffer, 10) != -1 || write(12345, buffer, 10) != -1)
			abort();
}

KEEP void syncs(int fd)
{
	char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	for (int i = 0; i < 7; i++)
		if (pwrite(fd, buffer, 100, i) != 100 || fsync(fd) || fdatasync(fd) || fsync(-1) != -1)
			abort();
	for (int i = 0; i < 3; i++) {
		mapped[i] = 1;
		if (sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE) || msync(mapped, 4096, MS_SYNC))
			abort();
	}
	if (syncfs(fd))
		abort();
}

int main(int argc, char **argv)
{
	char path[2][4096];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/moved-%d", argc > 1 ? argv[1] : ".", i);
		fds[i] = open(path[i], O_RDWR | O_CREAT | O_TRUNC, 0600);
	}
	if (pwrite(fds[0], buffer, 1, 0) != 1)
		abort();
	usleep(500000);
	file(fds[0]);
	through_pipe();
	through_socket();
	copies(fds[0], fds[1]);
	fails();
	syncs(fds[1]);
	return 0;
}
