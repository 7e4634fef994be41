// Names of a module's members.
export module shop;
export struct basket {
  struct apple {};
  struct pear {};
  int weight() const;
};
export void fill(basket::apple, basket::pear) {}
export namespace stock {
template <class T> void add(T, basket::pear *) {}
template void add(basket, basket::pear *);
} // namespace stock
int basket::weight() const { return 1; }
