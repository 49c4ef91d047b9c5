//! A seeded random order.

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// Shuffles like `NumPy`'s `default_rng(20_260_101).permuted`, one row after the other.
///
/// The generator is PCG XSL RR 128/64: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
/// Algorithms for Random Number Generation", Harvey Mudd College HMC-CS-2014-0905 (2014).
#[derive(Debug, Clone)]
pub struct Shuffle {
    state: u128,
    increment: u128,
    /// The upper half of the last number: it is the next one.
    half: Option<u32>,
}

impl Default for Shuffle {
    /// The state that `NumPy` makes of the seed.
    fn default() -> Self {
        Self {
            state: 0x5735_0c51_801f_1cf4_e3b3_0ddf_cf76_4493,
            increment: 0x7e4f_fffa_b14e_3e3b_e045_2f35_1333_26eb,
            half: None,
        }
    }
}

impl Shuffle {
    /// Brings the values into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.up_to(last as u32) as usize);
        }
    }

    /// A number from 0 to `most`: bits are drawn until they are one.
    fn up_to(&mut self, most: u32) -> u32 {
        let mask = u32::MAX >> most.leading_zeros();
        loop {
            let drawn = self.next() & mask;
            if drawn <= most {
                return drawn;
            }
        }
    }

    fn next(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        self.state = self
            .state
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        let drawn = folded.rotate_right((self.state >> 122) as u32);
        self.half = Some((drawn >> 32) as u32);
        drawn as u32
    }
}
