// uring FILE COUNT SIZE: by io_uring, without any library, writes COUNT blocks of SIZE bytes (writes_blocks),
// reads them back one at a time (reads_blocks), reads them eight at a time by readv on the kernel's own threads
// (reads_aside), reads as many from a descriptor that is not open (reads_nothing), and asks for as many
// operations that move nothing. Exits with 9 where io_uring is not allowed.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define DEPTH 8

static int ring;
static unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
static struct io_uring_sqe *entries;
static struct io_uring_cqe *answers;
static char *buffer;
static long size;
static volatile long sink;

static void *part(size_t bytes, off_t at)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, at);

	if (memory == MAP_FAILED)
		exit(4);
	return memory;
}

static void make_ring(void)
{
	struct io_uring_params p;
	char *sq, *cq;

	memset(&p, 0, sizeof(p));
	ring = syscall(__NR_io_uring_setup, DEPTH, &p);
	if (ring < 0)
		exit(9);
	sq = part(p.sq_off.array + p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	cq = part(p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	entries = part(p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	sq_tail = (unsigned *)(sq + p.sq_off.tail);
	sq_mask = (unsigned *)(sq + p.sq_off.ring_mask);
	sq_array = (unsigned *)(sq + p.sq_off.array);
	cq_head = (unsigned *)(cq + p.cq_off.head);
	cq_tail = (unsigned *)(cq + p.cq_off.tail);
	cq_mask = (unsigned *)(cq + p.cq_off.ring_mask);
	answers = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
}

static void put(int operation, int flags, int fd, void *address, unsigned length, long at)
{
	unsigned tail = *sq_tail, index = tail & *sq_mask;
	struct io_uring_sqe *entry = &entries[index];

	memset(entry, 0, sizeof(*entry));
	entry->opcode = operation;
	entry->flags = flags;
	entry->fd = fd;
	entry->addr = (unsigned long)address;
	entry->len = length;
	entry->off = at;
	sq_array[index] = index;
	__atomic_store_n(sq_tail, tail + 1, __ATOMIC_RELEASE);
}

/* The sum of the answers. */
static long submit(int n)
{
	long sum = 0;

	if (syscall(__NR_io_uring_enter, ring, n, n, IORING_ENTER_GETEVENTS, NULL, 0) != n)
		exit(5);
	for (int i = 0; i < n; i++) {
		unsigned head = *cq_head;

		if (head == __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE))
			exit(6);
		sum += answers[head & *cq_mask].res;
		__atomic_store_n(cq_head, head + 1, __ATOMIC_RELEASE);
	}
	return sum;
}

KEEP long writes_blocks(int fd, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++) {
		put(IORING_OP_WRITE, 0, fd, buffer, size, i * size);
		sum += submit(1);
	}
	return sum;
}

KEEP long reads_blocks(int fd, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++) {
		put(IORING_OP_READ, 0, fd, buffer, size, i * size);
		sum += submit(1);
	}
	return sum;
}

KEEP long reads_aside(int fd, long count)
{
	struct iovec part = { buffer, size };
	long sum = 0;

	for (long i = 0; i < count; i += DEPTH) {
		for (int k = 0; k < DEPTH; k++)
			put(IORING_OP_READV, IOSQE_ASYNC, fd, &part, 1, (i + k) * size);
		sum += submit(DEPTH);
	}
	return sum;
}

KEEP long reads_nothing(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++) {
		put(IORING_OP_READ, 0, 1000, buffer, size, 0);
		sum += submit(1) < 0;
	}
	return sum;
}

KEEP void moves_nothing(long count)
{
	for (long i = 0; i < count; i++) {
		put(IORING_OP_NOP, 0, -1, NULL, 0, 0);
		sink += submit(1);
	}
}

int main(int argc, char **argv)
{
	long count, bytes;
	int fd;

	if (argc < 4)
		return 2;
	count = atol(argv[2]);
	size = atol(argv[3]);
	bytes = count * size;
	buffer = malloc(size);
	memset(buffer, 1, size);
	make_ring();
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return 3;
	if (writes_blocks(fd, count) != bytes || reads_blocks(fd, count) != bytes || reads_aside(fd, count) != bytes)
		return 7;
	if (reads_nothing(count) != count)
		return 8;
	moves_nothing(count);
	return 0;
}
