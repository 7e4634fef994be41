// chains KIND SECONDS: spends its time below main, begin, then by KIND
//   deep     600 × descend
//   closure  a sort by closures behind dyn
//   panic    panics through ten frames and catches (not with panic=abort)
//   text     maps of strings, formatting
//   threads  two threads that spin
use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn for_a_time(seconds: f64, mut work: impl FnMut()) {
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        work();
    }
}

#[inline(never)]
fn spin(seconds: f64) {
    for_a_time(seconds, || {
        let mut sum = 0u64;
        for i in 0..100_000u64 {
            sum = black_box(sum.wrapping_add(i));
        }
    });
}

#[inline(never)]
fn descend(depth: u32, seconds: f64) -> u32 {
    let room = black_box([depth as u8; 64]);
    if depth == 1 {
        spin(seconds);
    } else {
        descend(depth - 1, seconds);
    }
    black_box(room)[(depth & 63) as usize] as u32
}

#[inline(never)]
fn sort(order: &dyn Fn(&u64) -> u64, seconds: f64) {
    for_a_time(seconds, || {
        let mut numbers: Vec<u64> = (0..5000).map(|i: u64| i.wrapping_mul(2654435761) % 10007).collect();
        numbers.sort_by_key(|n| order(n));
        black_box(&numbers);
    });
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        black_box(());
    }
}

#[inline(never)]
fn fall(depth: u32) -> u32 {
    let _guard = Guard;
    if black_box(depth) == 0 {
        panic!("at the bottom");
    }
    fall(depth - 1) + 1
}

#[inline(never)]
fn panic_and_catch(seconds: f64) {
    std::panic::set_hook(Box::new(|_| {}));
    for_a_time(seconds, || {
        for _ in 0..100 {
            black_box(std::panic::catch_unwind(|| fall(10)).is_err());
        }
    });
}

#[inline(never)]
fn text(seconds: f64) {
    for_a_time(seconds, || {
        let mut counts: HashMap<String, f64> = HashMap::new();
        for i in 0..500 {
            *counts.entry(format!("key {}", i * 31 % 97)).or_default() += 1.5;
        }
        black_box(format!("{:?}", counts));
    });
}

#[inline(never)]
fn threads(seconds: f64) {
    let all: Vec<_> = (0..2).map(|_| std::thread::spawn(move || spin(seconds))).collect();
    for one in all {
        one.join().unwrap();
    }
}

#[inline(never)]
fn begin(kind: &str, seconds: f64) {
    match kind {
        "deep" => {
            black_box(descend(600, seconds));
        }
        "closure" => {
            let times = black_box(7919u64);
            sort(&move |n| n.wrapping_mul(times) % 10007, seconds)
        }
        "panic" => panic_and_catch(seconds),
        "text" => text(seconds),
        "threads" => threads(seconds),
        _ => std::process::exit(2),
    }
    black_box(());
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    begin(&arguments[1], arguments[2].parse().unwrap());
    black_box(());
}
