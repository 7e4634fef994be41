// Global data of all sections.
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

enum color { RED = 1, GREEN = 2 };

struct point {
	int x;
	short y;
	char name[6];
};

const volatile __u8 small = 200;
const volatile __s16 negative = -5;
const volatile enum color color = GREEN;
const volatile struct point origin = { 1, 2, "origin" };
const volatile __u64 table[4] = { 10, 20, 30, 40 };
static const volatile int hidden = 77;

const volatile int custom SEC(".rodata.custom") = 5;
int counter SEC(".data.custom") = 9;
#ifdef ORACLE /* libbpf 1.1 does not know such sections */
int other;
#else
int other SEC(".bss.custom");
#endif

int initialised = 3;
__s64 big = -1;
struct point moving = { 7, 8, "go" };
static int private_state = 4;

int zeroed;
bool flag;
__u64 sums[8];
static __u64 private_sum;

static __attribute__((noinline)) int pick(int i)
{
	static const char letters[] = "abcdefgh";

	return letters[i & 7];
}

SEC("raw_tp/sys_enter")
int use(void *ctx)
{
	int i = bpf_get_smp_processor_id() & 3;

	zeroed += small + negative + color + origin.x + origin.name[1] + hidden + custom;
	sums[i] += table[i];
	private_sum += private_state++;
	counter += initialised;
	other = counter;
	moving.y += pick(i);
	big--;
	flag = !flag;
	bpf_printk("at %d of %d\n", i, zeroed);
	return private_sum;
}

char LICENSE[] SEC("license") = "GPL";
