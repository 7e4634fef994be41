// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pages that programs look for in the page cache, by reads and by page faults: a hit was cached, a
 * miss had to be brought in. Readahead brings in most pages before anybody looks for them. So a
 * page that was brought in is fresh until someone looks for it, and that first look is the miss. A
 * page that is written first is no miss.
 */
#include "fresh.h"

/* What a thread reads, so that pages that the kernel reports twice count once. */
struct reader {
	struct page_key read; /* the latest read: the file, and the page after those counted */
	u64 start; /* the first page of that read */
	u64 last;
	struct page_key fault; /* already counted: the fault is repeated once the page is there */
	struct page_key mapped; /* the file, and the first page of the window around a fault */
	u64 window; /* bitmap of the pages from there that were mapped */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct reader);
} readers SEC(".maps");

/* The detail of a sum: the file's id, and above it: */
#define DETAIL_MAPPED (1ULL << 48) /* by a fault, not a read */

/* The current thread's entry, new if it has none; NULL if the thread is not watched. */
static __always_inline struct reader *current_reader(void)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;
	struct reader *known, fresh = {};

	if (!watched((struct task_struct *)bpf_get_current_task(), id >> 32, tid))
		return NULL;
	known = bpf_map_lookup_elem(&readers, &tid);
	if (known)
		return known;
	bpf_map_update_elem(&readers, &tid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&readers, &tid);
}

/* Counts hits and misses of the current thread in a file. */
static __always_inline void tell(void *ctx, u64 mapping, u64 file, u64 detail, u64 hits, u64 misses)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	struct sum_key key = { .tid = id, .kind = RECORD_CACHE, .detail = file | detail };
	struct user_registers user = {};

	if (!hits && !misses)
		return;
	current_registers(task, &user);
	key.stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_AT_CTX);
	if (!key.stack)
		return;
	note_inode(file, (u64)BPF_CORE_READ((struct address_space *)mapping, host));
	add_sum(&key, hits, misses, 0);
}

/*
 * A read looks for the pages from first to last and finds some. The kernel reports the read again
 * when it goes on, with those that were missing and with what is more than it looks up at once.
 */
static __always_inline int on_get(u64 *ctx)
{
	u64 mapping = ctx[0], first = ctx[1], last = ctx[2], file = file_of_mapping(mapping);
	u64 from = first, start = first, size = size_in_pages(mapping), end = size, misses;
	struct reader *reader = current_reader();
	bool known, goes_on;

	if (end > last + 1)
		end = last + 1;
	if (!reader) {
		fresh_among(file, first, first_hole(mapping, size, first, end));
		return 0;
	}
	known = in_read(mapping, &start);
	goes_on = reader->read.file == file && reader->last == last &&
		  (known ? reader->start == start : first > reader->start);
	if (known && start == first)
		goes_on = false;
	if (goes_on)
		from = reader->read.index;
	else if (known && start < first && first - start < MOST_AT_ONCE)
		from = start; /* the pages before first were handed out without a tracepoint */
	if (!goes_on)
		reader->start = known ? start : first;
	end = first_hole(mapping, size, first > from ? first : from, end);
	reader->read = (struct page_key){ file, end > from ? end : from };
	reader->last = last;
	if (end <= from)
		return 0;
	misses = fresh_among(file, from, end);
	tell(ctx, mapping, file, 0, end - from - misses, misses);
	return 0;
}

/* A fault looks for a page that is not mapped. */
static __always_inline void touch(void *ctx, u64 mapping, u64 index)
{
	u64 file = file_of_mapping(mapping);
	struct reader *reader = current_reader();
	bool fresh = end_freshness(file, index), again;

	if (!reader)
		return;
	again = reader->fault.file == file && reader->fault.index == index;
	reader->fault.file = 0;
	if (again)
		return;
	reader->fault = (struct page_key){ file, index };
	fresh |= !page_below(head_of(mapping), index);
	tell(ctx, mapping, file, DETAIL_MAPPED, !fresh, fresh);
}

/* The kernel maps the pages around a fault that are ready. Those not mapped before count. */
static __always_inline void map(void *ctx, u64 mapping, u64 first, u64 last)
{
	u64 file = file_of_mapping(mapping), window, misses, hits, fault;
	struct reader *reader = current_reader();

	if (!reader) {
		fresh_among(file, first, last + 1);
		return;
	}
	window = ready_window(head_of(mapping), first, last + 1);
	if (reader->mapped.file != file || reader->mapped.index != first) {
		reader->mapped = (struct page_key){ file, first };
		reader->window = 0;
	}
	window &= ~reader->window;
	reader->window |= window;
	fault = reader->fault.index - first;
	if (reader->fault.file == file && fault < WINDOW && window >> fault & 1) {
		window &= ~(1ULL << fault); /* touch() has counted it */
		reader->fault.file = 0;
	}
	misses = any_fresh(file) ? (u32)fresh_in_window(file, first, window) : 0;
	hits = bits_of(window);
	tell(ctx, mapping, file, DETAIL_MAPPED, hits > misses ? hits - misses : 0, misses);
}

/* A page leaves the cache or is written: it cannot become a miss any more. */
static __always_inline void settle(u64 page, u64 mapping)
{
	u64 first = first_of(page);

	fresh_among(file_of_mapping(mapping), first, first + pages_of(page));
}

#define FILE_BLOCK_DEVICE 0060000

static __always_inline int on_add(u64 *ctx)
{
	u64 mapping = mapping_of(ctx[0]), first = first_of(ctx[0]), file = file_of_mapping(mapping), start;
	u32 pages = pages_of(ctx[0]);
	struct reader *reader = current_reader();

	if (!reader)
		return 0;
	/* File systems keep metadata in the disk's page cache, which no program reads or maps. */
	if ((BPF_CORE_READ((struct address_space *)mapping, host, i_mode) & FILE_KIND) == FILE_BLOCK_DEVICE &&
	    !in_read(mapping, &start))
		return 0;
	make_all_fresh(file, first, first + pages);
	if (reader->fault.file == file && reader->fault.index - first < pages)
		end_freshness(file, reader->fault.index); /* touch() has counted it */
	return 0;
}

static __always_inline int on_delete(u64 *ctx)
{
	settle(ctx[0], mapping_of(ctx[0]));
	return 0;
}

static __always_inline int on_dirty(u64 *ctx)
{
	u64 page = ctx[0], mapping = ctx[1];

	if (page && mapping)
		settle(page, mapping);
	return 0;
}

static __always_inline int on_fault(u64 *ctx)
{
	touch(ctx, ctx[0], ctx[1]);
	return 0;
}

static __always_inline int on_map(u64 *ctx)
{
	map(ctx, ctx[0], ctx[1], ctx[2]);
	return 0;
}

/*
 * Where there is no mm_filemap_get_pages: a read marks the pages that it has read, unless it was at
 * the same page before.
 */
static __always_inline int on_accessed(u64 *ctx)
{
	u64 mapping = mapping_of(ctx[0]), first = first_of(ctx[0]), pages = pages_of(ctx[0]);
	u64 file, start, misses;

	if (!mapping || mapping & MAPPING_FLAGS)
		return 0;
	/* Not only reads mark pages: unmapping does, too. */
	if (!in_read(mapping, &start))
		return 0;
	file = file_of_mapping(mapping);
	misses = fresh_among(file, first, first + pages);
	if (current_reader())
		tell(ctx, mapping, file, 0, pages - misses, misses);
	return 0;
}

TRACEPOINT(mm_filemap_add_to_page_cache, on_add)
TRACEPOINT(mm_filemap_delete_from_page_cache, on_delete)
TRACEPOINT(mm_filemap_get_pages, on_get)
TRACEPOINT(mm_filemap_fault, on_fault)
TRACEPOINT(mm_filemap_map_pages, on_map)

/* Older kernels say page, newer ones folio. */
OPTIONAL_TRACEPOINT(writeback_dirty_folio, on_dirty, on_dirty_folio)
OPTIONAL_TRACEPOINT(writeback_dirty_page, on_dirty, on_dirty_page)

/* The same by the kernel's functions, for kernels without the tracepoints. */
SEC("?fentry/folio_mark_accessed")
int at_accessed(u64 *ctx)
{
	return on_accessed(ctx);
}

SEC("?fentry/mark_page_accessed")
int at_page_accessed(u64 *ctx)
{
	return on_accessed(ctx);
}

SEC("?fentry/filemap_fault")
int at_fault(u64 *ctx)
{
	struct vm_fault *fault = (struct vm_fault *)ctx[0];

	touch(ctx, (u64)BPF_CORE_READ(fault, vma, vm_file, f_mapping), BPF_CORE_READ(fault, pgoff));
	return 0;
}

SEC("?fentry/filemap_map_pages")
int at_map(u64 *ctx)
{
	struct vm_fault *fault = (struct vm_fault *)ctx[0];

	map(ctx, (u64)BPF_CORE_READ(fault, vma, vm_file, f_mapping), ctx[1], ctx[2]);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
