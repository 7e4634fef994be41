// Types that older kernels do not take.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

enum huge { HUGE_A = 0x123456789abULL, HUGE_B = 2 };
enum below { BELOW = -1, ABOVE = 1 };

struct holder {
	int __attribute__((btf_type_tag("user"))) * tagged;
	enum huge huge;
	enum below below;
} __attribute__((btf_decl_tag("holder tag")));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct holder);
} map SEC(".maps");

float number;
long double longer;
int tagged_variable __attribute__((btf_decl_tag("variable: tag")));

__attribute__((noinline)) int global(int x)
{
	return x + tagged_variable;
}

SEC("raw_tp/sys_enter")
int use(void *ctx)
{
	int zero = 0;
	struct holder *h = bpf_map_lookup_elem(&map, &zero);

	return h ? global(h->huge == HUGE_A) + h->below : 0;
}

char LICENSE[] SEC("license") = "GPL";
