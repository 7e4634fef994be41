// Loads a BPF object by libbpf with given types and prints each program as it was relocated.
#include <bpf/libbpf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = argv[2]);
	struct bpf_object *object = bpf_object__open_file(argv[1], &opts);
	struct bpf_program *program;

	if (argc != 3 || !object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object) {
		const struct bpf_insn *insns = bpf_program__insns(program);

		printf("%s", bpf_program__name(program));
		for (size_t i = 0; i < bpf_program__insn_cnt(program); i++)
			printf(" %016llx", *(const unsigned long long *)&insns[i]);
		printf("\n");
	}
	return 0;
}
