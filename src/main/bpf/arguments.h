/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A probe's arguments: programs read them as a plan says, apply a filter to them, and send each
 * combination of values to user space once. dev.plumb.collect.probe.ProbeTable writes the plans.
 */
#ifndef PLUMB_ARGUMENTS_H
#define PLUMB_ARGUMENTS_H

#include "sums.h"

#define MAX_ARGUMENTS 8
#define MAX_TESTS 16
#define TEXT_BYTES 64
#define TEST_BYTES 32
#define NO_REGISTER 0xffff
/* As the next test: the event passes the filter, or fails it. */
#define ACCEPT 254
#define REJECT 255

/* Where an argument's value comes from. A field lies in the record of a tracepoint, at value. */
enum argument_kind {
	ARGUMENT_NONE,
	ARGUMENT_CONSTANT,
	ARGUMENT_REGISTER,
	ARGUMENT_MEMORY, /* user memory at value + base + (index << shift) */
	ARGUMENT_FIELD,
	ARGUMENT_TEXT_FIELD,
	ARGUMENT_DYNAMIC_TEXT, /* at the offset that a field holds (__data_loc) */
	ARGUMENT_TEXT_AT_REGISTER, /* in user memory */
	ARGUMENT_TEXT_AT_FIELD, /* in user memory */
	ARGUMENT_WORD, /* of a program's arguments, for fentry */
};

enum operator {
	OPERATOR_EQUAL,
	OPERATOR_NOT_EQUAL,
	OPERATOR_LESS,
	OPERATOR_LESS_OR_EQUAL,
	OPERATOR_GREATER,
	OPERATOR_GREATER_OR_EQUAL,
	OPERATOR_ANY_BIT,
};

/* How to read an argument. */
struct argument {
	u64 value; /* a constant, or an offset */
	u16 base; /* offset of a register in ctx */
	u16 index; /* likewise, or NO_REGISTER */
	u8 kind;
	u8 shift;
	u8 size; /* in bytes; the most of a text */
	u8 is_signed;
};

/* One comparison of a filter, and which test comes next. */
struct test {
	u64 value;
	u8 argument;
	u8 operator;
	u8 on_true;
	u8 on_false;
	u8 is_signed;
	u8 text_bytes; /* how many bytes of text to compare; 0 for a number */
	u16 pad;
	u8 text[TEST_BYTES];
};

/* Which arguments to read and which tests to apply when a probe fires. Probes may share a plan. */
struct plan {
	u32 arguments;
	u32 labels; /* how many of the arguments, from the first, distinguish events */
	u32 tests;
	u32 pad;
	struct argument argument[MAX_ARGUMENTS];
	struct test test[MAX_TESTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct plan);
} plans SEC(".maps");

/* What a detail stands for; sent before the first sum that has it. */
struct detail_record {
	u32 kind;
	u32 probe;
	u64 time;
	u64 detail;
	u64 values[MAX_ARGUMENTS][TEXT_BYTES / 8]; /* a number is in the first word */
};

/* By the slot of the scratch buffer that the event has claimed. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, u32);
	__type(value, struct detail_record);
} details SEC(".maps");

/* Truncates a value to its size and extends it to 64 bits. */
static __always_inline u64 of_size(u64 value, u32 size, bool is_signed)
{
	u32 shift = (64 - 8 * size) & 63;

	value <<= shift;
	return is_signed ? (u64)((s64)value >> shift) : value >> shift;
}

static __always_inline u64 word_at(void *ctx, u32 offset)
{
	u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), ctx + offset);
	return value;
}

static __always_inline u64 user_address(void *ctx, struct argument *a)
{
	u64 address = a->value + word_at(ctx, a->base);

	if (a->index != NO_REGISTER)
		address += word_at(ctx, a->index) << (a->shift & 3);
	return address;
}

static __always_inline void read_argument(void *ctx, struct argument *a, u64 *to)
{
	u32 size = a->size, place;
	u64 value = 0;

	for (u32 i = 0; i < TEXT_BYTES / 8; i++)
		to[i] = 0;
	switch (a->kind) {
	case ARGUMENT_CONSTANT:
		value = a->value;
		break;
	case ARGUMENT_REGISTER:
		value = word_at(ctx, a->base);
		break;
	case ARGUMENT_MEMORY:
		bpf_probe_read_user(&value, sizeof(value), (void *)user_address(ctx, a));
		break;
	case ARGUMENT_FIELD:
	case ARGUMENT_WORD:
		value = word_at(ctx, a->value);
		break;
	case ARGUMENT_TEXT_FIELD:
		if (!size)
			return;
		barrier_var(size); /* else clang checks both bounds on a copy in another register */
		if (size <= TEXT_BYTES)
			bpf_probe_read_kernel_str(to, size, ctx + (u32)a->value);
		return;
	case ARGUMENT_DYNAMIC_TEXT:
		place = word_at(ctx, a->value);
		bpf_probe_read_kernel_str(to, TEXT_BYTES, ctx + (place & 0xffff));
		return;
	case ARGUMENT_TEXT_AT_REGISTER:
		bpf_probe_read_user_str(to, TEXT_BYTES, (void *)word_at(ctx, a->base));
		return;
	case ARGUMENT_TEXT_AT_FIELD:
		bpf_probe_read_user_str(to, TEXT_BYTES, (void *)word_at(ctx, a->value));
		return;
	}
	to[0] = of_size(value, size, a->is_signed);
}

__noinline bool compare_text(u32 slot, u32 plan_number, u32 test_number)
{
	struct detail_record *d = bpf_map_lookup_elem(&details, &slot);
	struct plan *p = bpf_map_lookup_elem(&plans, &plan_number);
	struct test *t;
	u8 *text;

	if (!d || !p || test_number >= MAX_TESTS)
		return false;
	t = &p->test[test_number];
	text = (u8 *)d->values[t->argument & (MAX_ARGUMENTS - 1)];
	for (u32 i = 0; i < TEST_BYTES; i++) {
		if (i >= t->text_bytes)
			break;
		if (text[i] != t->text[i])
			return false;
	}
	return true;
}

static __always_inline bool compare(u64 a, u64 b, u32 operator, bool is_signed)
{
	switch (operator) {
	case OPERATOR_EQUAL:
		return a == b;
	case OPERATOR_NOT_EQUAL:
		return a != b;
	case OPERATOR_LESS:
		return is_signed ? (s64)a < (s64)b : a < b;
	case OPERATOR_LESS_OR_EQUAL:
		return is_signed ? (s64)a <= (s64)b : a <= b;
	case OPERATOR_GREATER:
		return is_signed ? (s64)a > (s64)b : a > b;
	case OPERATOR_GREATER_OR_EQUAL:
		return is_signed ? (s64)a >= (s64)b : a >= b;
	default:
		return a & b;
	}
}

/* Whether the arguments that were read pass the plan's filter. */
__noinline bool passes(u32 slot, u32 plan_number)
{
	struct detail_record *d = bpf_map_lookup_elem(&details, &slot);
	struct plan *p = bpf_map_lookup_elem(&plans, &plan_number);
	u32 next = 0;

	if (!d || !p)
		return false;
	if (!p->tests)
		return true;
	for (u32 i = 0; i < MAX_TESTS; i++) {
		struct test *t = &p->test[i];
		bool holds;

		if (i != next)
			continue;
		if (t->text_bytes)
			holds = compare_text(slot, plan_number, i) ==
				(t->operator == OPERATOR_EQUAL);
		else
			holds = compare(d->values[t->argument & (MAX_ARGUMENTS - 1)][0], t->value,
					t->operator, t->is_signed);
		next = holds ? t->on_true : t->on_false;
		if (next >= ACCEPT)
			break;
	}
	return next == ACCEPT;
}

/* The detail of an event: a hash of probe and labels. The low six bits stay 0, for a bucket. */
__noinline u64 detail_of(u32 slot, u32 plan_number, u32 probe)
{
	struct detail_record *d = bpf_map_lookup_elem(&details, &slot);
	struct plan *p = bpf_map_lookup_elem(&plans, &plan_number);
	u64 hash = mix(probe, 0x70726f6265);

	if (!d || !p)
		return 0;
	for (u32 i = 0; i < MAX_ARGUMENTS; i++) {
		if (i >= p->labels)
			break;
		for (u32 word = 0; word < TEXT_BYTES / 8; word++)
			hash = mix(hash, d->values[i][word]);
	}
	return hash & ~0x3fULL;
}

/* Sends what a detail stands for unless it was sent before. Returns false if it is lost. */
static __always_inline bool send_detail(struct detail_record *d)
{
	u32 slot = (d->detail >> 6) & (SENT_SLOTS - 1);
	u64 *known = bpf_map_lookup_elem(&sent, &slot);

	if (!known)
		return false;
	if (*known == d->detail)
		return true;
	d->time = bpf_ktime_get_ns();
	if (bpf_ringbuf_output(&records, d, sizeof(*d), wakeup())) {
		count(COUNT_LOST_SAMPLES);
		return false;
	}
	*known = d->detail;
	return true;
}

#endif
