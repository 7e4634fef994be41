// One of each kind of mangled name that a compiler makes; only the names matter.
#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace shop {
namespace {
template <class T> struct Hidden {
  T t;
  [[gnu::noinline]] void m(int) const & {}
  void m(int) && {}
};
struct {
  int v;
  auto f() { return [](auto x, auto... y) { return x; }; }
} nameless;
}  // namespace

// Packs, folds, decltype, noexcept.
template <class... T> auto sum(T... t) -> decltype((t + ...)) { return (t + ...); }
template <class... T> auto sumLeft(T... t) -> decltype((... + t)) { return (t + ...); }
template <class T> auto call(T f) -> decltype(f(1, 2.0)) { return f(1, 2.0); }
template <class T> auto deref(T p) noexcept(noexcept(*p)) -> std::remove_reference_t<decltype(*p)> { return *p; }
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> T twice(T t) { return t * 2; }
template <class T> typename std::enable_if<(sizeof(T) > 2), T>::type big(T t) { return t; }
template <class... A, class... B> void two(std::tuple<A...>, std::tuple<B...>, std::pair<A, B>...) {}
template <class T> auto member(T t) -> decltype(t->x, t.template get<int>(), t.y) { return t.y; }
struct Both {
  int x, y;
  Both *operator->() { return this; }
  template <class U> int get() { return 0; }
};

// Arguments that are values, templates, functions, members.
template <int N, unsigned long M, bool B, char C, auto X> struct Values { void f(); };
template <int N, unsigned long M, bool B, char C, auto X> void Values<N, M, B, C, X>::f() {}
template <template <class...> class C, class T> void outerOf(C<T> const &) {}
template <class R, class... A> void pointer(R (*)(A...)) {}
template <class R, class C, class... A> void memberPointer(R (C::*)(A...) const noexcept) {}
template <class T, std::size_t N> void arrays(T (&)[N], const T (*)[3]) {}
enum class Colour { red, blue = -1 };
template <Colour c> void ofColour() {}
template <const char *P> void ofText() {}
extern const char text[] = "x";
template <auto F> void ofAny() {}
void target(int) {}
struct Point {
  int a, b;
  constexpr bool operator==(const Point &) const = default;
};
template <Point P> void ofPoint() {}

struct Base {
  Base();
  Base(int);
  ~Base();
  template <class T> Base(T, T *);
  template <class T> operator T *() const { return nullptr; }
  operator bool() const noexcept;
  Base &operator<<(int);
  Base &operator+=(const Base &);
  auto operator<=>(const Base &) const = default;
  void *operator new(std::size_t);
  void operator delete(void *);
  int operator()(int...) const;
  int operator[](int);
  Base *operator->();
  virtual void vf();
  void withDefault(int = [] { static int q; return q++; }());
  int field;
};
Base::Base() {}
Base::Base(int) {}
Base::~Base() {}
template <class T> Base::Base(T, T *) {}
Base::operator bool() const noexcept { return true; }
Base &Base::operator<<(int) { return *this; }
Base &Base::operator+=(const Base &) { return *this; }
void *Base::operator new(std::size_t n) { return malloc(n); }
void Base::operator delete(void *p) { free(p); }
int Base::operator()(int...) const { return 0; }
int Base::operator[](int) { return 0; }
Base *Base::operator->() { return this; }
void Base::vf() {}
void Base::withDefault(int) {}

// Thunks, construction vtables, covariant results.
struct Left : virtual Base {
  void vf() override;
  virtual Left *self();
};
void Left::vf() {}
Left *Left::self() { return this; }
struct Right : Left, virtual Base {
  void vf() override;
  Right *self() override;
};
void Right::vf() {}
Right *Right::self() { return this; }

long double operator""_km(long double x) { return x; }
unsigned operator""_s(const char *, std::size_t) { return 0; }
template <char... C> int operator""_t() { return sizeof...(C); }

template <class T> concept Number = std::integral<T> || std::floating_point<T>;
template <Number T> T constrained(T t) { return t; }
auto constrainedAuto(Number auto x) { return x; }
template <class T> requires(sizeof(T) == 4) void required(T) {}
template <class T> requires requires(T t) { t + 1; typename std::vector<T>; } void required2(T) {}

template <class T> void local(T t) {
  struct Inside {
    T x;
    void run() const {
      auto l = [this](auto a, int b) mutable {
        struct Innermost { static void s(decltype(a)) {} };
        Innermost::s(a);
        return b;
      };
      l(x, 1);
      l(2.0, 1);
    }
  };
  Inside{t}.run();
  static std::string kept("abc");
}

void vectors(__attribute__((vector_size(16))) float) {}
void complex(_Complex double) {}
void rare(__int128, unsigned __int128, char8_t, char16_t, decltype(nullptr)) {}
void declarators(void (*)(int, char (&)[4]), int (*(*)(long))(short), int Base::*, void (Base::*)() volatile,
                 void (*const *)(), int (&&)[2]) {}
thread_local std::vector<int> tls;
std::vector<int> &useTls() { return tls; }
inline namespace v2 {
[[gnu::abi_tag("tagx", "tagy")]] std::string tagged(std::string) { return {}; }
}
auto [bound1, bound2] = std::pair(1, 2);
inline const auto &temporary = std::string("x");
auto *useTemporary = &temporary;
int größe() { return 1; }

void all() {
  Hidden<int> h{};
  h.m(1);
  std::move(h).m(2);
  nameless.f()(1, 2, 'c');
  sum(1, 2.0, 'c');
  sumLeft(1, 2);
  call([](int a, double b) { return a + b; });
  int i = 0;
  deref(&i);
  twice(3);
  big(5L);
  Values<-3, 7, true, 'x', 5L>{}.f();
  Values<3, 7, false, 'x', &Base::field>{}.f();
  outerOf(std::vector<int>{});
  pointer(&target);
  memberPointer(&Base::operator bool);
  int three[3];
  arrays(three, &three);
  Base s;
  (void)(int *)s;
  Base s2(1.0, (double *)nullptr);
  1.0_km;
  "x"_s;
  123_t;
  constrained(1);
  constrainedAuto(2.0);
  required(1);
  required2(1);
  ofColour<Colour::red>();
  ofColour<Colour::blue>();
  ofText<text>();
  ofAny<&target>();
  ofAny<&Base::vf>();
  ofAny<3u>();
  ofAny<nullptr>();
  ofPoint<Point{1, -2}>();
  local(1);
  local(std::string());
  two(std::tuple<int, char>(), std::tuple<long, short>(), std::pair<int, long>(), std::pair<char, short>());
  member(Both{});
  std::map<std::string, std::function<void(int, std::unique_ptr<Base> &&)>> m;
  m["a"] = [&](int, std::unique_ptr<Base> &&) { local('c'); };
  std::variant<int, std::string> v;
  std::visit([](auto &&x) { return 1; }, v);
  std::sort(three, three + 3, [](auto a, auto b) { return a > b; });
  for (int q : three | std::views::filter([](int x) { return x > 1; }) |
                   std::views::transform([](int x) { return x * 2; }))
    i += q;
  s.withDefault();
}
}  // namespace shop
int main() { shop::all(); }

// Lambdas that declare template parameters, and what std::function makes of a lambda in a template.
namespace declared {
template <class... T> struct Several {};
inline auto one() { return []<typename T>(T x, auto y) { return x + y; }; }
inline auto size() { return []<typename T, int N>(T (&x)[N]) { return x[N - 1]; }; }
inline auto pack() { return []<typename... T>(T... x) { return sizeof...(x); }; }
inline auto numbers() { return []<int... N>(Several<int[N]...> *) { return (N + ... + 0); }; }
inline auto any() { return []<auto N>(int) { return N; }; }
inline auto outer() { return []<template <class...> class V, class T>(V<T>, V<int> *) { return 0; }; }
template <class F> void post(F &&f) { std::function<void()> task = [f] { f(); }; task(); }
struct Queue {
  template <class F, class... A> void add(F &&f, A...) { std::function<void(int)> task = [f](int) { f(); }; task(1); }
};
template <class... T> using Count = char[sizeof...(T)];
template <class... A, class B, class... C> void count(Count<A..., B, C...> &, Several<A...>, B, Several<C...>) {}
void use() {
  int three[3] = {};
  one()(1, 2);
  one()(1.0, 2);
  size()(three);
  pack()(1, 2.0, 'c');
  numbers()((Several<int[1], int[2]> *)nullptr);
  any().template operator()<3>(1);
  outer()(Several<int>(), (Several<int> *)nullptr);
  std::function<void()> task = [] {};
  post(task);
  post([] {});
  Queue().add(task, 1);
  Queue().add([&] { post(task); }, "two", 3.0);
  char six[6];
  count(six, Several<int, int>(), 1, Several<int, int, int>());
}
} // namespace declared
