// One of each kind of mangled name that rustc makes; only the names matter.
#![crate_type = "lib"]
#![allow(non_snake_case, dead_code, uncommon_codepoints, mixed_script_confusables)]
use std::collections::HashMap;
use std::fmt::{Debug, Display};

pub trait Shape<T> { type Area; fn area(&self, t: T) -> Self::Area; fn twice(&self, t: T) where Self: Sized { let _ = self.area(t); } }
pub struct Square<T>(pub T);
pub struct Grid<const N: usize, const B: bool, const C: char, const I: i8>;
impl<T: Copy> Shape<T> for Square<T> { type Area = T; #[inline(never)] fn area(&self, t: T) -> T { t } }
impl<const N: usize, const B: bool, const C: char, const I: i8> Grid<N, B, C, I> { #[inline(never)] pub fn cells(&self) -> usize { N } }
impl<'a> Shape<&'a str> for [u8; 4] { type Area = (); #[inline(never)] fn area(&self, _: &'a str) {} }
#[inline(never)] pub fn generic<T: Debug, F: Fn(T) -> U, U>(t: T, f: F) -> U { f(t) }
#[inline(never)] pub fn dynamic(a: &dyn Shape<u8, Area = u8>, b: Box<dyn for<'x> Fn(&'x str) -> &'x str + Send + 'static>) { a.area(1); b(""); }
#[inline(never)] pub fn take<T: ?Sized>(_: &T) {}
#[inline(never)] pub fn größe<T>(_: T) -> u32 { 1 }
#[inline(never)] pub fn gödel() -> u32 { größe(1u8) }
pub mod 東京 { #[inline(never)] pub fn 駅<T>(_: T) -> u32 { 2 } }
pub extern "C" fn callback(f: unsafe extern "C" fn(i32, *const u8) -> !, g: fn(&str, (u8,), ()) -> [i16; 3]) { take(&f); take(&g); }
pub fn all() {
    let s = Square(1u8);
    s.twice(2);
    dynamic(&s, Box::new(|x| x));
    Grid::<3, true, 'x', -5>.cells();
    Grid::<0, false, '\n', 7>.cells();
    Grid::<18446744073709551615, false, 'ß', -128>.cells();
    [1u8; 4].twice("x");
    generic(1, |x: i32| { let inner = move || x + 1; generic((), |_| inner()) });
    generic("a", |_: &str| HashMap::<String, Vec<Option<&'static [f64]>>>::new());
    gödel(); 東京::駅(1i64); größe(|x: u8| x);
    let d: &(dyn Display + Sync) = &1; take(d);
    take::<dyn Iterator<Item = (char, bool)>>(&[('a', true)].into_iter());
    take(&(1i128, 2u128, 3.0f32, 4usize, 5isize, ((),)));
    take::<str>("x"); take::<[u16]>(&[1]); take(&std::ptr::null_mut::<u8>()); take(&std::ptr::null::<u8>());
    take::<for<'a, 'b> fn(&'a u8, &'b mut u8) -> &'a u8>(&(first as for<'a, 'b> fn(&'a u8, &'b mut u8) -> &'a u8));
    callback(die, shape);
    std::thread::spawn(|| { let v: Vec<u8> = vec![1]; v.iter().map(|x| x + 1).collect::<Vec<_>>() });
}
unsafe extern "C" fn die(_: i32, _: *const u8) -> ! { std::process::exit(1) }
fn shape(_: &str, _: (u8,), _: ()) -> [i16; 3] { [1, 2, 3] }
fn first<'a, 'b>(a: &'a u8, _: &'b mut u8) -> &'a u8 { a }
