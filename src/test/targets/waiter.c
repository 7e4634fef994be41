// waiter KIND COUNT MILLIS: waits COUNT times for about MILLIS each, in a function named after the
// kind: sleep, pipe, futex, socket, disk, fault, poll. System calls are made right here, because the C
// library has no frame pointers. Prints the microseconds it waited, by its own clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2], count, millis;
static uint32_t word;
static char *kind;

static inline __attribute__((always_inline)) long call(long nr, long a, long b, long c, long d)
{
	long result;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return result;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

__attribute__((noinline)) void rest(void)
{
	struct timespec t = { millis / 1000, millis % 1000 * 1000000L };
	call(SYS_nanosleep, (long)&t, 0, 0, 0);
}

__attribute__((noinline)) void wait_sleep(void) { rest(); }
__attribute__((noinline)) void wait_pipe(void) { char c; call(SYS_read, ends[0], (long)&c, 1, 0); }
__attribute__((noinline)) void wait_socket(void) { char c; call(SYS_read, ends[0], (long)&c, 1, 0); }
__attribute__((noinline)) void wait_futex(void)
{
	while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
		call(SYS_futex, (long)&word, FUTEX_WAIT, 0, 0);
	__atomic_fetch_sub(&word, 1, __ATOMIC_SEQ_CST);
}
__attribute__((noinline)) void wait_poll(void)
{
	struct pollfd p = { ends[0], POLLIN, 0 };
	char c;
	call(SYS_poll, (long)&p, 1, -1, 0);
	call(SYS_read, ends[0], (long)&c, 1, 0);
}

// A file whose pages are not in memory: direct reads, or touching a mapping of it.
static char *file_name;
#define FILE_SIZE (8 << 20)
static int fresh_file(int flags)
{
	char block[4096];
	int fd = open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	memset(block, 1, sizeof(block));
	for (int i = 0; i < FILE_SIZE / 4096; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			exit(1);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return open(file_name, O_RDONLY | flags);
}
__attribute__((noinline)) void wait_disk(int fd, void *to, long offset) { call(SYS_pread64, fd, (long)to, 4096, offset); }
__attribute__((noinline)) void wait_fault(volatile char *at) { (void)*at; }

static void *waker(void *unused)
{
	for (int i = 0; i < count; i++) {
		rest();
		if (!strcmp(kind, "futex")) {
			__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST); // counted, lest a late waiter misses one
			call(SYS_futex, (long)&word, FUTEX_WAKE, 1, 0);
		} else {
			call(SYS_write, ends[1], (long)"x", 1, 0);
		}
	}
	return unused;
}

__attribute__((noinline)) void files(void)
{
	void *buffer;
	double waited = 0;
	int disk = !strcmp(kind, "disk");
	int fd = fresh_file(disk ? O_DIRECT : 0);
	if (posix_memalign(&buffer, 4096, 4096))
		exit(1);
	char *map = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	madvise(map, FILE_SIZE, MADV_RANDOM);
	for (int i = 0; i < count; i++) {
		long offset = (long)i * 4096 * 7 % FILE_SIZE;
		double start = now();
		if (disk)
			wait_disk(fd, buffer, offset);
		else
			wait_fault(map + offset);
		waited += now() - start;
	}
	unlink(file_name);
	printf("%.0f\n", waited);
}

int main(int argc, char **argv)
{
	kind = argv[1];
	count = atoi(argv[2]);
	millis = atoi(argv[3]);
	file_name = argc > 4 ? argv[4] : "/tmp/plumb-waiter";
	if (!strcmp(kind, "disk") || !strcmp(kind, "fault")) {
		files();
		return 0;
	}
	pthread_t thread;
	if (!strcmp(kind, "socket") ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		return 1;
	int needs_waker = strcmp(kind, "sleep");
	if (needs_waker) {
		pthread_create(&thread, NULL, waker, NULL);
		pthread_setname_np(thread, "the-waker");
	}
	double start = now();
	for (int i = 0; i < count; i++) {
		if (!strcmp(kind, "sleep")) wait_sleep();
		else if (!strcmp(kind, "pipe")) wait_pipe();
		else if (!strcmp(kind, "socket")) wait_socket();
		else if (!strcmp(kind, "futex")) wait_futex();
		else wait_poll();
	}
	printf("%.0f\n", now() - start);
	if (needs_waker)
		pthread_join(thread, NULL);
	return 0;
}
