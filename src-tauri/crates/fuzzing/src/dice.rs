//! Pseudo-random numbers.

/// A generator of pseudo-random numbers that is seeded by bytes: equal bytes yield equal numbers (SplitMix64, Steele et al.
/// 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn of(data: &[u8]) -> Self {
        Self(data.iter().fold(7, |sum: u64, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
        }))
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }
}
