/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The page cache: the kernel's types, which file a page belongs to, what the current task reads. */
#ifndef PLUMB_PAGECACHE_H
#define PLUMB_PAGECACHE_H

#include "file.h"
#include "sums.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct inode___aliases {
	struct hlist_head i_dentry;
	s64 i_size;
};

struct dentry___alias {
	struct inode *d_inode;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct xarray {
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	void *slots[1];
};

struct address_space {
	struct inode *host;
	struct xarray i_pages;
	unsigned long nrpages;
};

struct file___position {
	struct address_space *f_mapping;
	s64 f_pos;
};

#if defined(__TARGET_ARCH_arm64)
struct pt_regs___call {
	u64 orig_x0;
	int syscallno;
};
#endif

struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned long _flags_1;
};

/* Before 5.16, which introduced folios. */
struct page___before {
	struct address_space *mapping;
	unsigned long index;
};

/* Before 6.6 (ebc1baf5c9b4, "mm: free up a word in the first tail page"). */
struct folio___order {
	unsigned char _folio_order;
};

enum pageflags {
	PG_locked = 0,
	PG_uptodate = 3,
	PG_head = 6,
	PG_reclaim = 18, /* on a clean page it is PG_readahead: a read of it reads further ahead */
};

struct vm_area_struct {
	struct file___position *vm_file; /* a struct file */
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};

#pragma clang attribute pop

#define PAGE_SHIFT 12
#define EEXIST 17
#define MOST_PAGES 16384

/* A page of a file. */
struct page_key {
	u64 file;
	u64 index;
};

/* A range of pages of a file, end exclusive. */
struct stretch {
	u64 file;
	u64 first;
	u64 end;
};

static __always_inline bool holds(struct stretch *s, u64 file, u64 index)
{
	return s->file == file && index >= s->first && index < s->end;
}

/* The id of the file to which a page cache belongs. */
static __always_inline u64 file_of_mapping(u64 mapping)
{
	return id_of_inode(BPF_CORE_READ((struct address_space *)mapping, host));
}

/* Puts a file into open_files by any one of its names, since there is no struct file to ask. */
static __always_inline void note_inode(u64 file, u64 inode)
{
	struct hlist_node *alias;
	struct dentry___alias *dentry;

	if (bpf_map_lookup_elem(&open_files, &file))
		return;
	alias = BPF_CORE_READ((struct inode___aliases *)inode, i_dentry.first);
	if (!alias)
		return;
	dentry = (void *)alias - bpf_core_field_offset(struct dentry___alias, d_u);
	/*
	 * d_inode is the same inode, but a scalar. The verifier may know inode as a typed pointer,
	 * which a global function does not take.
	 */
	note_file(file, (u64)BPF_CORE_READ(dentry, d_inode), (u64)dentry, 0);
}

/* mapping_of() and first_of(): mapping and first index of a page in the cache, or of a folio. */
static __always_inline u64 mapping_of(u64 page)
{
	if (bpf_core_type_exists(struct folio))
		return (u64)BPF_CORE_READ((struct folio *)page, mapping);
	return (u64)BPF_CORE_READ((struct page___before *)page, mapping);
}

static __always_inline u64 first_of(u64 page)
{
	if (bpf_core_type_exists(struct folio))
		return BPF_CORE_READ((struct folio *)page, index);
	return BPF_CORE_READ((struct page___before *)page, index);
}

#define MAPPING_FLAGS 3 /* the low bits of mapping: set if this is no page of a file */

/* How many pages a folio has. */
static __always_inline u32 pages_of(u64 folio)
{
	u64 flags = 0;
	u32 order;

	if (!bpf_core_type_exists(struct folio))
		return 1;
	bpf_probe_read_kernel(&flags, sizeof(flags), (void *)folio); /* flags come first in it */
	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(struct folio___order, _folio_order))
		order = BPF_CORE_READ((struct folio___order *)folio, _folio_order);
	else
		order = BPF_CORE_READ((struct folio *)folio, _flags_1) & 0xff;
	return order < 14 ? 1U << order : 1;
}

/* How many pages a file has. */
static __always_inline u64 size_in_pages(u64 mapping)
{
	struct inode *inode = BPF_CORE_READ((struct address_space *)mapping, host);
	u64 size = BPF_CORE_READ((struct inode___aliases *)inode, i_size);

	return (size + (1 << PAGE_SHIFT) - 1) >> PAGE_SHIFT;
}

#if defined(__TARGET_ARCH_x86)
enum { READ = 0, READV = 19, PREAD = 17, PREADV = 295, PREADV2 = 327 };
#elif defined(__TARGET_ARCH_arm64)
enum { READ = 63, READV = 65, PREAD = 67, PREADV = 69, PREADV2 = 286 };
#endif

/* Whether the current task is in a system call that reads this file; start gets its first page. */
static __always_inline bool in_read(u64 mapping, u64 *start)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct pt_regs *regs;
	struct file *file;
	u64 fd;
	s64 position;
	u32 call;

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return false;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else
		regs = top_of_stack(task);
#if defined(__TARGET_ARCH_x86)
	call = BPF_CORE_READ(regs, orig_ax);
	fd = BPF_CORE_READ(regs, di);
	position = BPF_CORE_READ(regs, r10);
#elif defined(__TARGET_ARCH_arm64)
	call = BPF_CORE_READ((struct pt_regs___call *)regs, syscallno);
	fd = BPF_CORE_READ((struct pt_regs___call *)regs, orig_x0);
	position = BPF_CORE_READ(regs, user_regs.regs[3]);
#endif
	if (call != READ && call != READV && call != PREAD && call != PREADV && call != PREADV2)
		return false;
	file = file_of(task, (u32)fd);
	if (!file || (u64)BPF_CORE_READ((struct file___position *)file, f_mapping) != mapping)
		return false;
	if (call == READ || call == READV || position < 0)
		position = BPF_CORE_READ((struct file___position *)file, f_pos);
	*start = (u64)position >> PAGE_SHIFT;
	return true;
}

/*
 * The first page of the current task's read. If the kernel finds a page that is still being brought
 * in, it hands out the pages before it without a tracepoint, so the first page that a tracepoint
 * reports may come later than the read's first.
 */
static __always_inline u64 start_of_read(u64 mapping, u64 first)
{
	u64 start;

	return in_read(mapping, &start) && start < first && first - start < MOST_PAGES ? start : first;
}

#endif
