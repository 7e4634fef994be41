// Traits, closures, iterators and collections, most of it inlined.
use std::collections::{BTreeMap, HashMap};

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.14
    }
}

fn make(i: u32) -> Box<dyn Shape> {
    if i % 2 == 0 {
        Box::new(Square(i as f64))
    } else {
        Box::new(Circle(i as f64))
    }
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = (0..50).map(make).collect();
    let mut areas: Vec<f64> = shapes.iter().map(|s| s.area()).collect();
    areas.sort_by(|a, b| b.partial_cmp(a).unwrap());
    let mut groups: HashMap<String, Vec<f64>> = HashMap::new();
    for area in &areas {
        groups.entry(format!("{}", (*area as u64) % 7)).or_default().push(*area);
    }
    let sorted: BTreeMap<_, _> = groups.into_iter().collect();
    for (key, values) in &sorted {
        println!("{key} {:?}", values.iter().sum::<f64>());
    }
    let text = std::env::args().collect::<Vec<_>>().join(" ");
    let back: Vec<String> = text.split(' ').map(|w| w.chars().rev().collect()).collect();
    println!("{}", back.join("-"));
}
