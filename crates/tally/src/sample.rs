//! A stratified sample of a stream, in fixed memory.
//!
//! The stream is divided into strata of 2ᵏ values, and one random value of each is kept. When the memory is full, one
//! of each two neighbours is dropped at random and k grows by one, which leaves one value of each stratum (Cochran,
//! Sampling Techniques, §5A). The order of the stream is kept, and periodic patterns cannot align with the sampling.

use crate::pack::{self, Damaged, Packed};

/// Up to [`Sample::MOST`] values of a stream, in its order.
#[derive(Clone, Debug)]
pub struct Sample<T> {
    kept: Vec<T>,
    /// Number of values in a stratum: a power of two.
    stratum: u64,
    /// Position in the current stratum.
    place: u64,
    /// Position of the value that is kept.
    chosen: u64,
    random: u64,
}

impl<T: Copy> Sample<T> {
    /// Most values that are kept.
    pub const MOST: usize = 4096;

    /// An empty sample; allocates all its memory at once.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Sample {
            kept: Vec::with_capacity(Self::MOST),
            stratum: 1,
            place: 0,
            chosen: 0,
            random: seed,
        }
    }

    /// Offers the next value of the stream.
    #[inline]
    pub fn offer(&mut self, value: T) {
        if self.place == self.chosen {
            self.kept.push(value);
        }
        self.place += 1;
        if self.place == self.stratum {
            self.next_stratum();
        }
    }

    fn next_stratum(&mut self) {
        if self.kept.len() == Self::MOST {
            self.thin();
        }
        self.place = 0;
        self.chosen = self.draw() & (self.stratum - 1);
    }

    /// Drops one of each two neighbours.
    #[cold]
    fn thin(&mut self) {
        for pair in 0..Self::MOST / 2 {
            let second = (self.draw() & 1) as usize;
            self.kept[pair] = self.kept[2 * pair + second];
        }
        self.kept.truncate(Self::MOST / 2);
        self.stratum *= 2;
    }

    /// `SplitMix64` (Steele, Lea and Flood 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The values that were kept, to change them.
    pub fn kept_mut(&mut self) -> &mut [T] {
        &mut self.kept
    }

    /// The values that were kept, in the order of the stream.
    #[must_use]
    pub fn kept(&self) -> &[T] {
        &self.kept
    }
}

/// The values that were kept. A sample that was read takes no more of them.
impl<T: Copy + Packed> Packed for Sample<T> {
    fn pack(&self, to: &mut Vec<u8>) {
        (self.kept.len() as u64).pack(to);
        for value in &self.kept {
            value.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let length = pack::length(from, Self::MOST)?;
        let kept: Result<Vec<T>, Damaged> = (0..length).map(|_| T::unpack(from)).collect();
        Ok(Sample {
            kept: kept?,
            stratum: 1,
            place: 0,
            chosen: 1,
            random: 0,
        })
    }
}
