// generated anonymous|memfd|framed SECONDS: runs code that it has put into memory, as a run-time compiler does. The code
// keeps no frame pointer: it counts in rbp. If it is to be framed, it keeps one, but its caller has another use for rbp.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const unsigned char CODE[] = {
	0x55, // push rbp
	0xbd, 0x00, 0x00, 0x10, 0x00, // mov ebp, 0x100000
	0xff, 0xcd, // dec ebp
	0x75, 0xfc, // jnz to that
	0x5d, // pop rbp
	0xc3, // ret
};

static const unsigned char FRAMED_CODE[] = {
	0x55, // push rbp
	0x48, 0x89, 0xe5, // mov rbp, rsp
	0xb9, 0x00, 0x00, 0x10, 0x00, // mov ecx, 0x100000
	0xff, 0xc9, // dec ecx
	0x75, 0xfc, // jnz to that
	0x5d, // pop rbp
	0xc3, // ret
};

void call_with_other_rbp(void (*code)(void));

asm(".globl call_with_other_rbp\n"
    ".type call_with_other_rbp, @function\n"
    "call_with_other_rbp:\n"
    "	.cfi_startproc\n"
    "	push %rbp\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	.cfi_rel_offset rbp, 0\n"
    "	mov $1, %ebp\n"
    "	call *%rdi\n"
    "	pop %rbp\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "	.cfi_restore rbp\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size call_with_other_rbp, . - call_with_other_rbp\n");

static void *memory(const char *kind)
{
	int file = -1;

	if (!strcmp(kind, "memfd")) {
		file = memfd_create("code", 0);
		ftruncate(file, 4096);
	}
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
		    file, 0);
}

int main(int argc, char **argv)
{
	void (*code)(void) = memory(argv[1]);
	time_t end = time(NULL) + atoi(argv[2]);

	bool framed = !strcmp(argv[1], "framed");

	memcpy(code, framed ? FRAMED_CODE : CODE, framed ? sizeof(FRAMED_CODE) : sizeof(CODE));
	while (time(NULL) <= end) {
		if (framed)
			call_with_other_rbp(code);
		else
			code();
	}
	return 0;
}
