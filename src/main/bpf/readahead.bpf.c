// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pages that the kernel reads ahead, with the stack of the read that caused it, and whether anybody
 * uses them. A page is read ahead if readahead puts it into the page cache and the current read or
 * fault did not ask for it. It is used once any later read or fault looks for it; it is unused if
 * it leaves the cache before that, or when recording ends.
 */
#include "ahead.h"

/* What a thread reads. */
struct reader {
	struct stretch asked; /* what the read or fault itself asks for */
	struct stretch ahead; /* what the kernel is reading for it */
	struct stretch used; /* what its latest read has used so far */
	u64 last; /* the last page of that read */
	u64 stack; /* which caused ahead; 0 if ahead does not count */
	u32 faulting; /* asked is the page of a fault */
	u32 by_order; /* page_cache_ra_order was called, which may call page_cache_ra_unbounded */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct reader);
} readers SEC(".maps");

static __always_inline struct reader *current_reader(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&readers, &tid);
}

/* The current thread's entry, new if it has none; NULL if it has none and is not watched. */
static __always_inline struct reader *make_reader(void)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;
	struct reader *known = bpf_map_lookup_elem(&readers, &tid), fresh = {};

	if (known)
		return known;
	if (!watched((struct task_struct *)bpf_get_current_task(), id >> 32, tid))
		return NULL;
	bpf_map_update_elem(&readers, &tid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&readers, &tid);
}

/* A read asks for pages that are not cached. */
static __always_inline void ask(u64 inode, u64 index, u64 count)
{
	u64 file = id_of_inode((struct inode *)inode);
	struct reader *reader = make_reader();

	if (!reader || (reader->faulting && reader->asked.file == file))
		return; /* a fault asks for one page, whatever readahead is told */
	reader->asked = (struct stretch){ file, index, index + count };
	reader->faulting = 0;
}

/* The kernel begins to read a range of pages for the current thread. */
static __always_inline void begin(void *ctx, u64 inode, u64 first, u64 count, bool by_order)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid(), file = id_of_inode((struct inode *)inode);
	struct reader *reader = make_reader();
	struct stretch ahead = { file, first, first + count };
	struct user_registers user = {};

	if (!reader)
		return;
	if (reader->by_order && reader->ahead.file == file && reader->ahead.first == first) {
		reader->ahead = ahead;
		return;
	}
	reader->ahead = ahead;
	reader->by_order = by_order;
	reader->stack = 0;
	if (holds(&reader->asked, file, first) && ahead.end <= reader->asked.end)
		return;
	if (!watched(task, id >> 32, id))
		return;
	current_registers(task, &user);
	reader->stack = take_task_stack(ctx, task, id >> 32, &user, KERNEL_AT_CTX);
	note_inode(file, inode);
}

/* The state of on_add()'s loop. */
struct addition {
	struct page_key key;
	struct ahead page;
	struct stretch asked;
};

static long add_page(u32 i, struct addition *addition)
{
	if (!holds(&addition->asked, addition->key.file, addition->key.index))
		await_use(&addition->key, &addition->page);
	addition->key.index++;
	return 0;
}

static __always_inline int on_add(u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct reader *reader = current_reader();
	struct addition addition = {};

	if (!reader || !reader->stack)
		return 0;
	addition.key.file = file_of_mapping((u64)BPF_CORE_READ(folio, mapping));
	addition.key.index = BPF_CORE_READ(folio, index);
	if (!holds(&reader->ahead, addition.key.file, addition.key.index))
		return 0;
	addition.page.stack = reader->stack;
	addition.page.tid = bpf_get_current_pid_tgid();
	addition.asked = reader->asked;
	bpf_loop(pages_of(ctx[0]), add_page, &addition, 0);
	return 0;
}

static __always_inline int on_delete(u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	u64 file = file_of_mapping((u64)BPF_CORE_READ(folio, mapping));
	u64 index = BPF_CORE_READ(folio, index);

	settle(file, index, index + pages_of(ctx[0]), false);
	return 0;
}

/* Readahead for a thread is over. */
static __always_inline void end_reading(struct reader *reader)
{
	reader->ahead.file = 0;
	reader->asked.file = 0;
	reader->by_order = 0;
	reader->faulting = 0;
}

/*
 * A read has found pages, the first of which is first. last is the last page that it asks for, not
 * the last that it found, so the next report of the same read may overlap this one.
 */
static __always_inline int on_get(u64 *ctx)
{
	u64 mapping = ctx[0], last = ctx[2], file = file_of_mapping(mapping), first = ctx[1], size;
	struct stretch found = { file, first, last + 1 };
	struct reader *reader = current_reader();
	u64 *waiting = waiting_of(file);

	size = size_in_pages(mapping);
	if (found.end > size)
		found.end = size;
	if (found.end > first + MOST_PAGES)
		found.end = first + MOST_PAGES;
	if (reader)
		end_reading(reader);
	if (!waiting || !*waiting)
		return 0;
	if (reader && reader->last == last && reader->used.file == file && first > reader->used.first)
		first = reader->used.end; /* the same read goes on */
	else
		first = start_of_read(mapping, first);
	if (reader) {
		reader->used = found;
		reader->last = last;
	}
	settle(file, first, found.end, true);
	return 0;
}

/* A fault looks for a page. */
static __always_inline void touch(u64 mapping, u64 index)
{
	u64 file = file_of_mapping(mapping);
	struct reader *reader = make_reader();

	settle(file, index, index + 1, true);
	if (!reader)
		return;
	end_reading(reader);
	reader->asked = (struct stretch){ file, index, index + 1 };
	reader->faulting = 1;
}

static __always_inline int on_fault(u64 *ctx)
{
	touch(ctx[0], ctx[1]);
	return 0;
}

/* The kernel maps pages around a fault. They count as used: their first touch cannot be seen. */
static __always_inline int on_map(u64 *ctx)
{
	settle(file_of_mapping(ctx[0]), ctx[1], ctx[2] + 1, true);
	return 0;
}

static __always_inline int on_sync(u64 *ctx)
{
	ask(ctx[0], ctx[1], ctx[3]);
	return 0;
}

static __always_inline int on_async(u64 *ctx)
{
	ask(ctx[0], ctx[1], ctx[3]);
	return 0;
}

static __always_inline int on_unbounded(u64 *ctx)
{
	begin(ctx, ctx[0], ctx[1], ctx[2], false);
	return 0;
}

static __always_inline int on_order(u64 *ctx)
{
	begin(ctx, ctx[0], ctx[1], BPF_CORE_READ((struct file_ra_state *)ctx[2], size), true);
	return 0;
}

TRACEPOINT(mm_filemap_add_to_page_cache, on_add)
TRACEPOINT(mm_filemap_delete_from_page_cache, on_delete)
TRACEPOINT(mm_filemap_get_pages, on_get)
TRACEPOINT(mm_filemap_fault, on_fault)
TRACEPOINT(mm_filemap_map_pages, on_map)
TRACEPOINT(page_cache_sync_ra, on_sync)
TRACEPOINT(page_cache_async_ra, on_async)
TRACEPOINT(page_cache_ra_unbounded, on_unbounded)
TRACEPOINT(page_cache_ra_order, on_order)

/* The same by the kernel's functions, for kernels without the tracepoints. */
static __always_inline u64 inode_of(u64 control)
{
	return (u64)BPF_CORE_READ((struct readahead_control *)control, mapping, host);
}

static __always_inline u64 index_of(u64 control)
{
	return BPF_CORE_READ((struct readahead_control *)control, _index);
}

SEC("?fentry/page_cache_sync_ra")
int at_sync(u64 *ctx)
{
	ask(inode_of(ctx[0]), index_of(ctx[0]), ctx[1]);
	return 0;
}

SEC("?fentry/page_cache_async_ra")
int at_async(u64 *ctx)
{
	ask(inode_of(ctx[0]), index_of(ctx[0]), ctx[2]);
	return 0;
}

SEC("?fentry/page_cache_ra_unbounded")
int at_unbounded(u64 *ctx)
{
	begin(ctx, inode_of(ctx[0]), index_of(ctx[0]), ctx[1], false);
	return 0;
}

SEC("?fentry/page_cache_ra_order")
int at_order(u64 *ctx)
{
	begin(ctx, inode_of(ctx[0]), index_of(ctx[0]),
	      BPF_CORE_READ((struct file_ra_state *)ctx[1], size), true);
	return 0;
}

/* Where there is no mm_filemap_get_pages: a read marks the pages that it has read. */
SEC("?fentry/folio_mark_accessed")
int at_accessed(u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	u64 mapping = (u64)BPF_CORE_READ(folio, mapping), index = BPF_CORE_READ(folio, index);

	if (mapping && !(mapping & MAPPING_FLAGS))
		settle(file_of_mapping(mapping), index, index + pages_of(ctx[0]), true);
	return 0;
}

SEC("?fentry/filemap_fault")
int at_fault(u64 *ctx)
{
	struct vm_fault *fault = (struct vm_fault *)ctx[0];

	touch((u64)BPF_CORE_READ(fault, vma, vm_file, f_mapping), BPF_CORE_READ(fault, pgoff));
	return 0;
}

SEC("?fentry/filemap_map_pages")
int at_map(u64 *ctx)
{
	struct vm_fault *fault = (struct vm_fault *)ctx[0];
	u64 mapping = (u64)BPF_CORE_READ(fault, vma, vm_file, f_mapping);

	settle(file_of_mapping(mapping), ctx[1], ctx[2] + 1, true);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
