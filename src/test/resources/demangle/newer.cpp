// Newer than c++filt 2.40: the object as a parameter, and parts of objects as template arguments.
namespace newer {
struct Self {
  int plain(this Self self, int x) { return x; }
  template <class T> int general(this T &&self, int x) { return x; }
};
int numbers[4];
struct Pair { int first, second; } pair;
template <int *P> int read() { return *P; }
int use() { Self self; return self.plain(1) + self.general(2) + read<&numbers[1]>() + read<&pair.second>(); }
} // namespace newer
