/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Who holds a mutex of the C library while others wait for it. The mutex itself says so: glibc
 * writes the owner next to the futex word, and in robust and priority-inheriting mutexes the futex
 * word is the owner. The owner is read whenever a thread begins to wait. A thread whose wait ends
 * is presumed to have got the mutex, unless it waits again at once. Owners are thread ids in their
 * own pid namespace.
 */
#ifndef PLUMB_HOLDERS_H
#define PLUMB_HOLDERS_H

#include "sums.h"

#define FUTEX_WAITERS 0x80000000U
#define FUTEX_TID_MASK 0x3fffffffU
#define MUSL_BUSY 16 /* EBUSY, in musl's normal mutexes, which do not say who owns them */

/* glibc's struct __pthread_mutex_s; the same on all 64-bit machines. */
struct mutex {
	u32 lock;
	u32 recursions;
	u32 owner;
	u32 users;
	u32 kind;
};

#define GLIBC_CONTENDED 2
#define KIND_TYPE 3
#define KIND_RECURSIVE 1
#define KIND_MOST 1023
#define MOST_USERS (1 << 20)

/* The owner that a mutex names; 0 if it names none or does not look like a mutex. */
static __always_inline u32 owner_of_mutex(u64 address, bool word_is_owner)
{
	struct mutex mutex = {};

	if (word_is_owner || address & 7) {
		if (bpf_probe_read_user(&mutex.lock, sizeof(mutex.lock), (void *)address))
			return 0;
	} else if (bpf_probe_read_user(&mutex, sizeof(mutex), (void *)address)) {
		return 0;
	}
	if (word_is_owner)
		return mutex.lock & FUTEX_TID_MASK;
	if (mutex.lock & FUTEX_WAITERS) {
		u32 owner = mutex.lock & FUTEX_TID_MASK;

		return owner == MUSL_BUSY ? 0 : owner;
	}
	if (mutex.lock != GLIBC_CONTENDED || !mutex.users || mutex.users > MOST_USERS ||
	    mutex.kind > KIND_MOST ||
	    (mutex.recursions && (mutex.kind & KIND_TYPE) != KIND_RECURSIVE))
		return 0;
	return mutex.owner & FUTEX_TID_MASK;
}

/* The thread id in the thread's own pid namespace. */
static __always_inline u32 own_number(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	u32 number = 0;

	if (level > 32) /* MAX_PID_NS_LEVEL */
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return number;
}

/* How many of the latest holders of a mutex are remembered. */
#define TURNS 8

/* Who held a mutex, and since when. */
struct holding {
	u64 since;
	u32 owner;
	u32 presumed; /* because its wait ended; the mutex has not confirmed it */
};

/* A ring of the latest holders of a mutex. */
struct holdings {
	u32 next; /* counts all; modulo TURNS, the next to overwrite */
	u32 pad;
	struct holding turn[TURNS];
};

/* By a hash of process and address. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct holdings);
} holdings SEC(".maps");

/* An empty entry, which is too large for the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct holdings);
} no_holdings SEC(".maps");

/* Remembers who holds a mutex now. */
static __noinline int note_holder(u64 mutex, u64 now, u32 owner, u32 self, bool presumed)
{
	struct holdings *known = bpf_map_lookup_elem(&holdings, &mutex);
	struct holding *latest;
	u32 zero = 0;

	if (!known) {
		struct holdings *none = bpf_map_lookup_elem(&no_holdings, &zero);

		if (none)
			bpf_map_update_elem(&holdings, &mutex, none, BPF_NOEXIST);
		known = bpf_map_lookup_elem(&holdings, &mutex);
		if (!known)
			return 0;
	}
	latest = &known->turn[(known->next - 1) & (TURNS - 1)];
	if (latest->presumed && latest->owner == self && owner != self) {
		/* Presumed wrongly: another thread was faster, often the previous holder. */
		latest->owner = owner;
		latest->presumed = 0;
		if (known->turn[(known->next - 2) & (TURNS - 1)].owner == owner)
			known->next--;
		return 0;
	}
	if (latest->owner == owner) {
		if (!presumed)
			latest->presumed = 0;
		return 0;
	}
	latest = &known->turn[known->next & (TURNS - 1)];
	latest->since = now;
	latest->owner = owner;
	latest->presumed = presumed;
	known->next++;
	return 0;
}

/* A mutex and its holder. The detail of a sum is a hash that stands for both. */
struct held_mutex {
	u64 address;
	u32 owner;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct held_mutex);
} held_mutexes SEC(".maps");

#define DETAIL_HELD (4ULL << 60)
#define DETAIL_BITS ((1ULL << 60) - 1)

/* A part of a wait, in which one thread held the mutex. */
struct stretch {
	u64 mutex; /* the key in holdings */
	u64 address;
	u32 owner; /* 0 if unknown */
	u32 count;
};

/* Adds a stretch to its sum. */
static __noinline int add_stretch(struct sum_key *key, struct stretch *stretch, u64 nanos)
{
	struct held_mutex held = { .address = stretch->address, .owner = stretch->owner };
	u64 detail = (mix(stretch->mutex, stretch->owner) & DETAIL_BITS) | DETAIL_HELD;

	key->detail = stretch->address;
	if (stretch->owner && (bpf_map_lookup_elem(&held_mutexes, &detail) ||
			       !bpf_map_update_elem(&held_mutexes, &detail, &held, BPF_ANY)))
		key->detail = detail;
	add_sum(key, stretch->count, nanos, 0);
	return 0;
}

/*
 * Adds a wait, split by who held the mutex when. The stretch with which it began counts as the
 * wait, the others add their time only.
 */
static __noinline int add_stretches(struct sum_key *key, struct stretch *stretch, u64 since, u64 now)
{
	struct holdings *known = bpf_map_lookup_elem(&holdings, &stretch->mutex);
	u32 next = known ? known->next : 0;

	if (now <= since)
		now = since + 1;
	for (u32 i = 1; known && i <= TURNS && now > since; i++) {
		struct holding *turn = &known->turn[(next - i) & (TURNS - 1)];
		u64 from = turn->since > since ? turn->since : since;

		stretch->owner = turn->owner;
		if (!stretch->owner)
			break;
		if (from < now) {
			stretch->count = from == since;
			add_stretch(key, stretch, now - from);
			now = from;
		}
	}
	if (now > since) {
		stretch->owner = 0;
		stretch->count = 1;
		add_stretch(key, stretch, now - since);
	}
	return 0;
}

#endif
