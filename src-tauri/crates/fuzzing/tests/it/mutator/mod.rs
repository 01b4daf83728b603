//! Mutates inputs: removes, duplicates or swaps parts, and inserts words and bytes. The same seed yields the same result.

/// A generator of pseudo-random changes (SplitMix64, Steele et al. 2014).
pub(crate) struct Mutator(u64);

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }

    /// Returns a copy of one of `all` with one to six changes.
    pub(crate) fn change(&mut self, all: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
        let mut data = all[self.below(all.len())].clone();
        for _ in 0..=self.below(6) {
            self.once(&mut data, all, words);
        }
        if self.below(4) == 0 {
            return data;
        }
        // Most readers accept only text.
        String::from_utf8_lossy(&data).into_owned().into_bytes()
    }

    /// Returns a random range of `data`, usually a short one.
    fn part(&mut self, data: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(data.len() + 1);
        let longest = if self.below(3) == 0 { data.len() } else { 12 };
        let end = (start + self.below(longest + 1)).min(data.len());
        start..end
    }

    fn once(&mut self, data: &mut Vec<u8>, all: &[Vec<u8>], words: &[Vec<u8>]) {
        let part = self.part(data);
        match self.below(8) {
            0 => drop(data.drain(part)),
            1 => {
                let twice = data[part.clone()].repeat(1 + self.below(4));
                data.splice(part.end..part.end, twice);
            }
            2 => {
                let other = &all[self.below(all.len())];
                let theirs = self.part(other);
                data.splice(part, other[theirs].iter().copied());
            }
            3 => {
                if let Some(byte) = data.get_mut(part.start) {
                    *byte =
                        [b'0', b'9', b'-', b'"', b'{', b'}', b'\\', 0, 0xff, b' '][self.below(10)];
                }
            }
            4 => self.number(data, part.start),
            _ => {
                let word = words[self.below(words.len())].clone();
                let at = if self.below(2) == 0 {
                    part.clone()
                } else {
                    part.start..part.start
                };
                data.splice(at, word);
            }
        }
    }

    /// Replaces the first number at or after `from` with another number.
    fn number(&mut self, data: &mut Vec<u8>, from: usize) {
        let others: [&[u8]; 8] = [
            b"0",
            b"-1",
            b"1e999",
            b"9223372036854775807",
            b"18446744073709551615",
            b"-9223372036854775808",
            b"0.5",
            b"4294967296",
        ];
        let Some(start) = (from..data.len()).find(|at| data[*at].is_ascii_digit()) else {
            return;
        };
        let end = (start..data.len())
            .find(|at| !data[*at].is_ascii_digit())
            .unwrap_or(data.len());
        let other = others[self.below(others.len())];
        data.splice(start..end, other.iter().copied());
    }
}
