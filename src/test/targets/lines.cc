// Templates, lambdas, a local class, virtual functions, much of the standard library inlined.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace shapes {

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};

template <int N> struct Polygon : Shape {
	double side;
	explicit Polygon(double s) : side(s) {}
	double area() const override
	{
		auto scaled = [this](double k) { return k * side * side; };
		return scaled(N * 0.25);
	}
};

struct Circle : Shape {
	double radius;
	explicit Circle(double r) : radius(r) {}
	double area() const override
	{
		struct Local {
			static double pi() { return 3.14159; }
		};
		return Local::pi() * radius * radius;
	}
};

} // namespace shapes

template <typename T, typename F> auto each(const std::vector<T> &values, F f)
{
	std::vector<decltype(f(values[0]))> results;
	for (auto &v : values)
		results.push_back(f(v));
	return results;
}

static std::map<std::string, int> count(const std::string &text)
{
	std::map<std::string, int> words;
	std::string word;
	for (char c : text) {
		if (isalpha(c)) {
			word += c;
		} else if (!word.empty()) {
			words[word]++;
			word.clear();
		}
	}
	return words;
}

static std::unique_ptr<shapes::Shape> make(int i)
{
	if (i % 3 == 0)
		return std::make_unique<shapes::Polygon<4>>(i);
	if (i % 3 == 1)
		return std::make_unique<shapes::Polygon<6>>(i);
	return std::make_unique<shapes::Circle>(i);
}

int main(int argc, char **)
{
	std::vector<std::unique_ptr<shapes::Shape>> all;
	for (int i = 0; i < argc + 10; i++)
		all.push_back(make(i));
	std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a->area() < b->area(); });

	std::vector<int> numbers(100);
	std::iota(numbers.begin(), numbers.end(), argc);
	auto squares = each(numbers, [](int x) { return std::to_string(x * x); });

	std::unordered_map<std::string, std::function<int(int)>> operations;
	operations["+"] = [&](int x) { return x + argc; };
	operations["*"] = [&](int x) { return x * argc; };

	std::string text;
	for (auto &s : squares)
		text += s + " a" + std::string(1, 'a' + s.size());
	std::set<std::string> words(squares.begin(), squares.end());
	for (auto at = words.lower_bound("4"); at != words.end(); ++at)
		text += at->substr(0, at->find('7'));
	for (auto &[word, times] : count(text))
		std::cout << word << ' ' << times << ' ' << operations["+"](times) << '\n';
	for (auto &shape : all)
		std::cout << shape->area() << '\n';
	std::stable_sort(squares.begin(), squares.end(), std::greater<>());
	std::cout << squares[0] << '\n';
}
