// chains KIND SECONDS: spends its time below main, begin, then by KIND
//   template   Tower<60>::climb … Tower<0>::climb
//   exception  throws through ten frames and catches, all the time
//   lambda     a sort by a lambda, called through std::function
//   virtual    a tree of objects, made, visited and destroyed
//   text       maps of strings, streams
//   deep       600 × descend
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

static double seconds;
static volatile uint64_t sink;

static double cpu()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

template <typename F> KEEP void for_a_time(F &&work)
{
	double end = cpu() + seconds;
	do
		work();
	while (cpu() < end);
}

KEEP void spin()
{
	for_a_time([] {
		for (int i = 0; i < 200000; i++)
			sink = sink + i;
	});
}

template <int N> struct Tower {
	KEEP static int climb(const std::string &what)
	{
		std::string longer = what + char('a' + N % 26);
		return Tower<N - 1>::climb(longer) + longer.size();
	}
};

template <> struct Tower<0> {
	KEEP static int climb(const std::string &what)
	{
		spin();
		return what.size();
	}
};

struct Guard {
	~Guard() { sink = sink + 1; }
};

KEEP int fall(int depth)
{
	Guard guard;
	if (depth == 0)
		throw std::runtime_error("at the bottom");
	return fall(depth - 1) + 1;
}

KEEP void throw_and_catch()
{
	for_a_time([] {
		for (int i = 0; i < 100; i++) {
			try {
				fall(10);
			} catch (const std::exception &e) {
				sink = sink + strlen(e.what());
			}
		}
	});
}

KEEP void sort_by_lambda()
{
	std::vector<int> numbers(10000);
	std::function<bool(int, int)> less = [](int a, int b) { return (a * 7919) % 10007 < (b * 7919) % 10007; };
	for_a_time([&] {
		for (size_t i = 0; i < numbers.size(); i++)
			numbers[i] = rand();
		std::sort(numbers.begin(), numbers.end(), [&](int a, int b) { return less(a, b); });
	});
	sink = sink + numbers[0];
}

struct Node {
	virtual ~Node() = default;
	virtual uint64_t visit() const = 0;
};

struct Leaf final : Node {
	std::string text = std::to_string(sink);
	uint64_t visit() const override { return text.size(); }
};

struct Branch final : Node {
	std::vector<std::unique_ptr<Node>> children;
	explicit Branch(int depth)
	{
		for (int i = 0; i < 3; i++)
			if (depth)
				children.push_back(std::make_unique<Branch>(depth - 1));
			else
				children.push_back(std::make_unique<Leaf>());
	}
	uint64_t visit() const override
	{
		uint64_t sum = 0;
		for (auto &child : children)
			sum += child->visit();
		return sum;
	}
};

KEEP void grow_trees()
{
	for_a_time([] {
		Branch root(6);
		sink = sink + root.visit();
	});
}

KEEP void write_text()
{
	for_a_time([] {
		std::map<std::string, int> counts;
		std::ostringstream out;
		for (int i = 0; i < 500; i++)
			counts["key " + std::to_string(i * 31 % 97)]++;
		for (auto &[key, count] : counts)
			out << key << ": " << count << " or " << count / 3.0 << '\n';
		sink = sink + out.str().size();
	});
}

KEEP int descend(int depth)
{
	volatile char room[64];
	room[depth & 63] = depth;
	if (depth == 1)
		spin();
	else
		descend(depth - 1);
	return room[depth & 63];
}

KEEP int begin(const std::string &kind)
{
	if (kind == "template")
		Tower<60>::climb(kind);
	else if (kind == "exception")
		throw_and_catch();
	else if (kind == "lambda")
		sort_by_lambda();
	else if (kind == "virtual")
		grow_trees();
	else if (kind == "text")
		write_text();
	else if (kind == "deep")
		descend(600);
	else
		return 2;
	return sink == 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	seconds = atof(argv[2]);
	return begin(argv[1]) + (sink == 0);
}
