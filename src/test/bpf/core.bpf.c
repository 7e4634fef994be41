// Every kind of CO-RE relocation. Results go to `out`, so that they can also be looked at.
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#include "core_types.h"
#pragma clang attribute pop

#include <bpf/bpf_core_read.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} memory SEC(".maps");

__u64 out[64];

#define OUT(i, value) out[i] = (__u64)(value)

SEC("raw_tp/offsets")
int offsets(void *ctx)
{
	OUT(0, bpf_core_field_offset(struct thing, name));
	OUT(1, bpf_core_field_offset(struct thing, in.b));
	OUT(2, bpf_core_field_offset(struct thing, arr[1].a));
	OUT(3, bpf_core_field_offset(struct thing, anon_x));
	OUT(4, bpf_core_field_offset(struct thing, anon_y));
	OUT(5, bpf_core_field_offset(struct thing, deep));
	OUT(6, bpf_core_field_offset(struct thing, name[3]));
	OUT(7, bpf_core_field_offset(struct thing, matrix[2][1]));
	OUT(8, bpf_core_field_offset(struct flexible, items[9]));
	OUT(9, bpf_core_field_offset(struct flexible, length));
	OUT(10, bpf_core_field_offset(union choice, low));
	OUT(11, bpf_core_field_offset(anonymous_t, typedef_field));
	OUT(12, bpf_core_field_offset(struct thing___2, first));
	OUT(13, bpf_core_field_offset(struct thing, typedefed));
	OUT(14, bpf_core_field_offset(struct same, c[2]));
	return 0;
}

SEC("raw_tp/sizes")
int sizes(void *ctx)
{
	OUT(0, bpf_core_field_size(struct thing, name));
	OUT(1, bpf_core_field_size(struct thing, arr));
	OUT(2, bpf_core_field_size(struct thing, arr[1]));
	OUT(3, bpf_core_field_size(struct thing, ui));
	OUT(4, bpf_core_field_size(struct thing, bf1));
	OUT(5, bpf_core_field_size(struct thing, in));
	OUT(6, bpf_core_field_size(struct thing, mode));
	OUT(7, bpf_core_field_size(struct thing, ptr));
	OUT(8, bpf_core_type_size(struct thing));
	OUT(9, bpf_core_type_size(struct nowhere));
	OUT(10, bpf_core_type_size(word_t));
	OUT(11, bpf_core_type_size(union choice));
	OUT(12, bpf_core_type_size(anonymous_t));
	return 0;
}

SEC("raw_tp/existence")
int existence(void *ctx)
{
	struct thing *t = 0;
	struct thing___old *old = 0;
	struct fewer *fewer = 0;
	struct no_longer_array *array = 0;
	struct flexible *flexible = 0;

	OUT(0, bpf_core_field_exists(t->gone));
	OUT(1, bpf_core_field_exists(t->first));
	OUT(2, bpf_core_field_exists(old->renamed));
	OUT(3, bpf_core_field_exists(t->arr[3]));
	OUT(4, bpf_core_field_exists(t->arr[1]));
	OUT(5, bpf_core_field_exists(fewer->y));
	OUT(6, bpf_core_field_exists(array->items[1]));
	OUT(7, bpf_core_field_exists(t->matrix[2][1]));
	OUT(8, bpf_core_field_exists(flexible->items[7]));
	OUT(9, bpf_core_type_exists(struct thing));
	OUT(10, bpf_core_type_exists(struct nowhere));
	OUT(11, bpf_core_type_exists(struct thing___old));
	OUT(12, bpf_core_type_exists(word_t));
	OUT(13, bpf_core_type_exists(callback_t));
	OUT(14, bpf_core_type_exists(enum mode));
	OUT(15, bpf_core_type_exists(union choice));
	OUT(16, bpf_core_enum_value_exists(enum mode, MODE_A));
	OUT(17, bpf_core_enum_value_exists(enum mode, MODE_GONE));
	OUT(18, bpf_core_enum_value_exists(enum wide, WIDE_A));
	OUT(19, bpf_core_type_exists(struct only_forward));
	OUT(20, bpf_core_type_exists(anonymous_t));
	return 0;
}

SEC("raw_tp/matches")
int matches(void *ctx)
{
	OUT(0, bpf_core_type_matches(struct thing));
	OUT(1, bpf_core_type_matches(struct same));
	OUT(2, bpf_core_type_matches(struct fewer));
	OUT(3, bpf_core_type_matches(struct inner));
	OUT(4, bpf_core_type_matches(enum mode));
	OUT(5, bpf_core_type_matches(enum wide));
	OUT(6, bpf_core_type_matches(word_t));
	OUT(7, bpf_core_type_matches(callback_t));
	OUT(8, bpf_core_type_matches(struct uses));
	OUT(9, bpf_core_type_matches(union choice));
	OUT(10, bpf_core_type_matches(struct nowhere));
	OUT(11, bpf_core_type_matches(anonymous_t));
	OUT(12, bpf_core_type_matches(enum width_changed));
	OUT(13, bpf_core_type_matches(struct flexible));
	return 0;
}

SEC("raw_tp/values")
int values(void *ctx)
{
	OUT(0, bpf_core_enum_value(enum mode, MODE_A));
	OUT(1, bpf_core_enum_value(enum mode, MODE_B));
	OUT(2, bpf_core_enum_value(enum wide, WIDE_A));
	OUT(3, bpf_core_enum_value(enum width_changed, CHANGED));
	if (bpf_core_enum_value_exists(enum mode, MODE_NEGATIVE))
		OUT(4, bpf_core_enum_value(enum mode, MODE_NEGATIVE));
	if (bpf_core_enum_value_exists(enum mode, MODE_GONE))
		OUT(5, bpf_core_enum_value(enum mode, MODE_GONE));
	OUT(6, bpf_core_type_id_local(struct thing));
	OUT(7, bpf_core_type_id_kernel(struct thing));
	OUT(8, bpf_core_type_id_kernel(struct nowhere));
	OUT(9, bpf_core_type_id_kernel(word_t));
	OUT(10, bpf_core_type_id_local(int));
	return 0;
}

SEC("raw_tp/bit_fields")
int bit_fields(void *ctx)
{
	int zero = 0;
	struct thing *t = bpf_map_lookup_elem(&memory, &zero);

	if (!t)
		return 1;
	OUT(0, BPF_CORE_READ_BITFIELD_PROBED(t, bf1));
	OUT(1, BPF_CORE_READ_BITFIELD_PROBED(t, bf2));
	OUT(2, BPF_CORE_READ_BITFIELD_PROBED(t, bf3));
	OUT(3, BPF_CORE_READ_BITFIELD_PROBED(t, big_bf));
	OUT(4, BPF_CORE_READ_BITFIELD(t, bf1));
	OUT(5, BPF_CORE_READ_BITFIELD(t, bf2));
	OUT(6, BPF_CORE_READ_BITFIELD(t, bf3));
	OUT(7, BPF_CORE_READ_BITFIELD(t, big_bf));
	OUT(8, __builtin_preserve_field_info(t->bf3, BPF_FIELD_SIGNED));
	OUT(9, __builtin_preserve_field_info(t->bf2, BPF_FIELD_SIGNED));
	OUT(10, __builtin_preserve_field_info(t->narrow, BPF_FIELD_SIGNED));
	OUT(11, __builtin_preserve_field_info(t->mode, BPF_FIELD_SIGNED));
	OUT(12, __builtin_preserve_field_info(t->uc, BPF_FIELD_LSHIFT_U64));
	OUT(13, __builtin_preserve_field_info(t->uc, BPF_FIELD_RSHIFT_U64));
	return 0;
}

SEC("raw_tp/accesses")
int accesses(void *ctx)
{
	int zero = 0;
	struct thing *t = bpf_map_lookup_elem(&memory, &zero);

	if (!t)
		return 1;
	/* Loads and stores that change size with the field: pointers and unsigned numbers. */
	OUT(0, t->ui);
	OUT(1, t->uc);
	OUT(2, t->ul);
	OUT(3, t->ptr);
	OUT(4, t->in.b);
	OUT(5, t->arr[1].a);
	OUT(6, t->name[5]);
	OUT(7, t->anon_x);
	OUT(8, t->deep);
	t->ui = 5;
	t->uc = out[9];
	t->ul = out[10];
	t->in.a = out[11];
	return 0;
}

SEC("raw_tp/guarded")
int guarded(void *ctx)
{
	int zero = 0;
	struct thing *t = bpf_map_lookup_elem(&memory, &zero);
	struct thing___old *old = (void *)t;

	if (!t)
		return 1;
	if (bpf_core_field_exists(t->gone))
		OUT(0, t->gone);
	if (bpf_core_field_exists(old->renamed))
		OUT(1, old->renamed);
	if (bpf_core_type_exists(struct nowhere))
		OUT(2, ((struct nowhere *)t)->x);
	if (bpf_core_field_size(struct thing, signed_changed) == 4)
		OUT(3, t->signed_changed);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
