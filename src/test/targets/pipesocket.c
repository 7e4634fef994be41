// pipesocket COUNT MILLIS: the same read() waits by turns for a pipe and for a socket, so that the user stack
// is the same and only the kernel stack differs; each wait for the socket is twice as long.
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int pipe_ends[2], socket_ends[2], count, millis;

static inline __attribute__((always_inline)) long call(long nr, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) void wait_either(int fd)
{
	char c;
	call(SYS_read, fd, (long)&c, 1);
}

static void *waker(void *x)
{
	for (int i = 0; i < count; i++) {
		int long_one = i & 1;
		struct timespec t = { 0, millis * 1000000L * (long_one ? 2 : 1) };
		nanosleep(&t, NULL);
		if (write(long_one ? socket_ends[1] : pipe_ends[1], "x", 1) != 1)
			exit(1);
	}
	return x;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	count = atoi(argv[1]);
	millis = atoi(argv[2]);
	if (argc < 3 || pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends))
		return 1;
	pthread_create(&thread, NULL, waker, NULL);
	for (int i = 0; i < count; i++)
		wait_either(i & 1 ? socket_ends[0] : pipe_ends[0]);
	pthread_join(thread, NULL);
	return 0;
}
