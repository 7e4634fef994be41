// A made-up kernel: nothing but types, used so that clang writes them down.
#include "core_types.h"

struct all {
	struct thing thing;
	struct no_longer_array no_longer_array;
	union choice choice;
	struct same same;
	struct fewer fewer;
	struct uses uses;
	anonymous_t anonymous;
	callback_t callback;
	word_t word;
	enum wide wide;
	enum width_changed width_changed;
#ifdef KERNEL_TWO
	struct thing___other_flavour flavour;
#endif
};

struct all all;
struct flexible flexible;
#ifdef KERNEL_TWO
struct only_forward only_forward;
#endif
