// Externs that are not there and not weak, one at a time.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#if defined(CONFIG)
extern int CONFIG_NO_SUCH_THING __kconfig;
#define USE CONFIG_NO_SUCH_THING
#elif defined(CONFIG_TYPE)
extern _Bool CONFIG_HZ __kconfig;
#define USE CONFIG_HZ
#elif defined(SYMBOL)
extern const void no_such_symbol __ksym;
#define USE ((long)&no_such_symbol)
#elif defined(VARIABLE)
extern const int no_such_variable __ksym;
#define USE ((long)&no_such_variable)
#elif defined(FUNCTION)
extern int bpf_no_such_function(int x) __ksym;
#define USE bpf_no_such_function(1)
#elif defined(FUNCTION_TYPE)
/* Not for programs to call, but any function of the kernel has a type. */
extern int schedule(int x, void *y) __ksym;
#define USE schedule(1, 0)
#elif defined(PINNED)
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, int);
	__type(value, int);
} pinned SEC(".maps");
#define USE ((long)bpf_map_lookup_elem(&pinned, &(int){ 0 }))
#elif defined(UNKNOWN_ATTRIBUTE)
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(colour, 1);
} odd SEC(".maps");
#define USE ((long)&odd)
#elif defined(POINTER_IN_DATA)
int a;
int *volatile pointer = &a;
#define USE (pointer != 0)
#elif defined(UNDECLARED)
int plain_extern(int x);
#define USE plain_extern(1)
#else /* nothing is wrong */
#define USE 0
#endif

SEC("raw_tp/sys_enter")
int use(void *ctx)
{
	return USE;
}

char LICENSE[] SEC("license") = "GPL";
