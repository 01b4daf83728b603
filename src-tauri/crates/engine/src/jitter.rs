//! Deterministic jitter. It spreads pauses evenly over runs and nodes, and replays produce the same values.

/// Returns the position of a pause within its jitter, in 0..1: a hash of the run's id, the path and the count. The hash is
/// FNV-1a (Fowler, Noll, Vo 1991).
pub fn spread(run: &str, path: &str, count: u32) -> f64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in run.bytes().chain(path.bytes()).chain(count.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn it_is_even_and_repeatable() {
        let values: Vec<f64> = (0..1000)
            .map(|count| spread("run", "refine", count))
            .collect();
        let mean = values.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
        assert_eq!(spread("run", "refine", 7), values[7]);
    }
}
