// Writes records as its argument says: how many, how long, which of them to discard.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} second SEC(".maps");

__u64 lost;

struct args {
	__u64 producer, first, count, size;
};

SEC("raw_tp")
int produce(struct args *args)
{
	__u64 producer = args->producer, first = args->first, size = args->size & 255;
	__u64 record[36] = {};

	for (__u64 i = 0; i < 32 && i < args->count; i++) {
		record[0] = producer;
		record[1] = first + i;
		if (bpf_ringbuf_output(&ring, record, 16 + size, 0))
			__sync_fetch_and_add(&lost, 1);
	}
	return 0;
}

/* Of each three records the second is thrown away. */
SEC("raw_tp")
int discard(struct args *args)
{
	__u64 first = args->first;

	for (__u64 i = 0; i < 30 && i < args->count; i++) {
		__u64 *record = bpf_ringbuf_reserve(&ring, 24, 0);

		if (!record) {
			__sync_fetch_and_add(&lost, 1);
			continue;
		}
		record[0] = 99;
		record[1] = first + i;
		record[2] = 0;
		if (i % 3 == 1)
			bpf_ringbuf_discard(record, 0);
		else
			bpf_ringbuf_submit(record, 0);
	}
	return 0;
}

SEC("raw_tp")
int other(struct args *args)
{
	__u64 first = args->first;

	bpf_ringbuf_output(&second, &first, sizeof(first), 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
