use std::collections::{BTreeMap, HashMap};
trait Shape { fn area(&self) -> f64; }
struct Sq(f64); struct Ci(f64);
impl Shape for Sq { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Ci { fn area(&self) -> f64 { self.0 * self.0 * 3.14 } }
fn main() {
    let v: Vec<Box<dyn Shape>> = (0..50).map(|i| if i % 2 == 0 { Box::new(Sq(i as f64)) as Box<dyn Shape> } else { Box::new(Ci(i as f64)) }).collect();
    let mut a: Vec<f64> = v.iter().map(|s| s.area()).collect();
    a.sort_by(|x, y| y.partial_cmp(x).unwrap());
    let mut m: HashMap<String, Vec<f64>> = HashMap::new();
    for x in &a { m.entry(format!("{}", (*x as u64) % 7)).or_default().push(*x); }
    let b: BTreeMap<_, _> = m.into_iter().collect();
    for (k, x) in &b { println!("{k} {:?}", x.iter().sum::<f64>()); }
    let text = std::env::args().collect::<Vec<_>>().join(" ");
    println!("{}", text.split(' ').map(|w| w.chars().rev().collect::<String>()).collect::<Vec<_>>().join("-"));
}
