/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Open files and sockets: each has an id, and when one is first seen, its inode, names and
 * addresses go into a map, which dev.plumb.collect.mode.OpenFiles reads.
 */
#ifndef PLUMB_FILE_H
#define PLUMB_FILE_H

#include "scratch.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr {
	const unsigned char *name;
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
};

struct socket {
	struct sock *sk;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	u32 max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct___files {
	struct files_struct *files;
};

#pragma clang attribute pop

#define FILE_KIND 0170000
#define FILE_SOCKET 0140000
#define MAX_NAMES 12
#define NAME_SIZE 64

/* What identifies an open file; for a socket, also its ends. */
struct open_file {
	u32 mode;
	u32 device;
	u64 inode;
	u16 family;
	u16 type;
	u16 local_port;
	u16 remote_port; /* in network byte order */
	u32 remote; /* the IPv4 address */
	u32 names_used;
	char names[MAX_NAMES][NAME_SIZE]; /* the file's own name, then those of its directories */
};

/* By id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct open_file);
} open_files SEC(".maps");

/* Working memory for one entry, which is too large for the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct open_file);
} new_file SEC(".maps");

#define NO_FILE 1ULL

/* The file behind a task's file descriptor; NULL if there is none. */
static __always_inline struct file *file_of(struct task_struct *task, u64 fd)
{
	struct fdtable *table =
		BPF_CORE_READ((struct task_struct___files *)task, files, fdt);
	struct file **all = BPF_CORE_READ(table, fd);
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), &all[fd]);
	return file;
}

/* Puts a file into open_files. data is the file's private_data, which is used for sockets only. */
__noinline int note_file(u64 id, u64 inode_at, u64 dentry_at, u64 data)
{
	struct inode *inode = (struct inode *)inode_at;
	struct dentry *dentry = (struct dentry *)dentry_at;
	u32 zero = 0;
	struct open_file *note = bpf_map_lookup_elem(&new_file, &zero);

	if (!note)
		return 0;
	note->mode = BPF_CORE_READ(inode, i_mode);
	note->device = BPF_CORE_READ(inode, i_sb, s_dev);
	note->inode = BPF_CORE_READ(inode, i_ino);
	note->family = 0;
	if ((note->mode & FILE_KIND) == FILE_SOCKET) {
		struct socket *socket = (struct socket *)data;
		struct sock *sk = BPF_CORE_READ(socket, sk);

		note->family = BPF_CORE_READ(sk, __sk_common.skc_family);
		note->type = BPF_CORE_READ(sk, sk_type);
		note->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
		note->remote_port = BPF_CORE_READ(sk, __sk_common.skc_dport);
		note->remote = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	}
	note->names_used = 0;
	for (u32 i = 0; i < MAX_NAMES; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		bpf_probe_read_kernel_str(note->names[i], NAME_SIZE, BPF_CORE_READ(dentry, d_name.name));
		note->names_used = i + 1;
		if (!parent || parent == dentry)
			break;
		dentry = parent;
	}
	bpf_map_update_elem(&open_files, &id, note, BPF_ANY);
	return 0;
}

/*
 * The id of a file, 48 bits. The device goes through the hash before the inode is added: pipes and
 * sockets have small device numbers and draw their inode numbers from one sequence, so that a
 * weaker hash would soon give two of them the same id.
 */
static __always_inline u64 id_of_inode(struct inode *inode)
{
	u64 device = mix(1, BPF_CORE_READ(inode, i_sb, s_dev));

	return mix(mix(device, BPF_CORE_READ(inode, i_ino)), 1) >> 16;
}

/* The id of an open file; NO_FILE if there is none. */
static __always_inline u64 id_of_file(struct file *file)
{
	struct inode *inode;
	u64 id;

	if (!file)
		return NO_FILE;
	inode = BPF_CORE_READ(file, f_inode);
	id = id_of_inode(inode);
	if (!bpf_map_lookup_elem(&open_files, &id))
		note_file(id, (u64)inode, (u64)BPF_CORE_READ(file, f_path.dentry),
			  (u64)BPF_CORE_READ(file, private_data));
	return id;
}

#endif
