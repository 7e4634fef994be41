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
struct Shape { virtual ~Shape() = default; virtual double area() const = 0; };
template <int N> struct Poly : Shape {
  double side; explicit Poly(double s) : side(s) {}
  double area() const override { auto f = [this](double k) { return k * side * side; }; return f(N * 0.25); }
};
struct Circle : Shape { double r; explicit Circle(double x) : r(x) {} double area() const override { struct Local { static double pi() { return 3.14159; } }; return Local::pi() * r * r; } };
}
template <typename T, typename F> auto each(const std::vector<T>& v, F f) { std::vector<decltype(f(v[0]))> o; for (auto& x : v) o.push_back(f(x)); return o; }
static std::map<std::string, int> count(const std::string& text) {
  std::map<std::string, int> m; std::string w;
  for (char c : text) { if (isalpha(c)) w += c; else if (!w.empty()) { m[w]++; w.clear(); } }
  return m;
}
int main(int argc, char** argv) {
  std::vector<std::unique_ptr<shapes::Shape>> v;
  for (int i = 0; i < argc + 10; i++) { if (i % 3 == 0) v.push_back(std::make_unique<shapes::Poly<4>>(i)); else if (i % 3 == 1) v.push_back(std::make_unique<shapes::Poly<6>>(i)); else v.push_back(std::make_unique<shapes::Circle>(i)); }
  std::sort(v.begin(), v.end(), [](auto& a, auto& b) { return a->area() < b->area(); });
  std::vector<int> n(100); std::iota(n.begin(), n.end(), argc);
  auto s = each(n, [](int x) { return std::to_string(x * x); });
  std::unordered_map<std::string, std::function<int(int)>> ops;
  ops["+"] = [&](int x) { return x + argc; }; ops["*"] = [&](int x) { return x * argc; };
  std::string all; for (auto& x : s) all += x + " a" + std::string(1, 'a' + x.size());
  std::set<std::string> words(s.begin(), s.end());
  for (auto at = words.lower_bound("4"); at != words.end(); ++at) all += at->substr(0, at->find('7'));
  for (auto& [k, c] : count(all)) std::cout << k << ' ' << c << ' ' << ops["+"](c) << '\n';
  for (auto& p : v) std::cout << p->area() << '\n';
  std::stable_sort(s.begin(), s.end(), std::greater<>()); std::cout << s[0] << '\n';
}
