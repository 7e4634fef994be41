/* Inlined functions of several depths, a cold part, a jump table, a file of its own by #line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *left, *right;
	long key;
};

static inline long mix(long x)
{
	x ^= x >> 13;
	x *= 0x9e3779b97f4a7c15;
	return x ^ x << 7;
}

static inline int before(const struct node *a, const struct node *b)
{
	return mix(a->key) < mix(b->key);
}

static struct node *insert(struct node *root, struct node *n)
{
	if (!root)
		return n;
	if (before(n, root))
		root->left = insert(root->left, n);
	else
		root->right = insert(root->right, n);
	return root;
}

static inline __attribute__((always_inline)) long sum(struct node *root)
{
	long total = 0;
	struct node *stack[64];
	int depth = 0;
	while (root || depth) {
		while (root) {
			if (depth == 64)
				abort();
			stack[depth++] = root;
			root = root->left;
		}
		root = stack[--depth];
		total += mix(root->key);
		root = root->right;
	}
	return total;
}

static int token(const char **text)
{
	while (isspace((unsigned char)**text))
		++*text;
	switch (*(*text)++) {
	case '+': return 1;
	case '-': return 2;
	case '*': return 3;
	case '/': return 4;
	case '(': return 5;
	case ')': return 6;
	case 0: --*text; return 0;
	default: --*text; return 7;
	}
}

static long product(const char **text);

static long expression(const char **text)
{
	long value = product(text);
	for (;;) {
		const char *start = *text;
		int t = token(text);
		if (t == 1)
			value += product(text);
		else if (t == 2)
			value -= product(text);
		else {
			*text = start;
			return value;
		}
	}
}

static long factor(const char **text)
{
	const char *start = *text;
	if (token(text) == 5) {
		long value = expression(text);
		if (token(text) != 6) {
			fprintf(stderr, "no parenthesis\n");
			exit(1);
		}
		return value;
	}
	*text = start;
	return strtol(*text, (char **)text, 10);
}

#line 1 "generated/product.y"
static long product(const char **text)
{
	long value = factor(text);
	for (;;) {
		const char *start = *text;
		int t = token(text);
		if (t == 3)
			value *= factor(text);
		else if (t == 4) {
			long d = factor(text);
			if (__builtin_expect(d == 0, 0)) {
				fprintf(stderr, "division by zero\n");
				exit(1);
			}
			value /= d;
		} else {
			*text = start;
			return value;
		}
	}
}

int main(int argc, char **argv)
{
	struct node *root = NULL;
	for (int i = 0; i < 1000; i++) {
		struct node *n = calloc(1, sizeof *n);
		n->key = i * argc;
		root = insert(root, n);
	}
	printf("%ld\n", sum(root));
	for (int i = 1; i < argc; i++) {
		const char *text = argv[i];
		printf("%s = %ld\n", argv[i], expression(&text));
	}
	return 0;
}
