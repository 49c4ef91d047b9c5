//! The sample of replies whose bodies are checked: one of each group, at a random place in it.

/// The sample of the replies to one request.
#[derive(Debug)]
pub struct Sample {
    random: u64,
    /// Replies of the group that are still to come.
    left: u32,
    /// As many are left behind the one that is drawn.
    drawn: u32,
}

impl Sample {
    /// A sample by this seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: seed,
            left: 0,
            drawn: 0,
        }
    }

    /// True if the next reply is in the sample, which has one in so many.
    #[inline]
    pub fn draw(&mut self, one_in: u32) -> bool {
        if self.left == 0 {
            self.left = one_in;
            // Multiplied and cut, a random number is below the other factor, each value equally often but for 2^-32.
            self.drawn = ((u64::from(self.next()) * u64::from(one_in)) >> 32) as u32;
        }
        self.left -= 1;
        self.left == self.drawn
    }

    /// The upper half of `SplitMix64` (Steele, Lea and Flood 2014).
    fn next(&mut self) -> u32 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(seed: u64, one_in: u32, replies: usize) -> Vec<bool> {
        let mut sample = Sample::new(seed);
        (0..replies).map(|_| sample.draw(one_in)).collect()
    }

    #[test]
    fn each_group_has_one_and_every_place_comes_equally_often() {
        let sample = drawn(1, 50, 50_000);
        let mut places = [0_u32; 50];
        for group in sample.chunks(50) {
            let found: Vec<_> = (0..50).filter(|place| group[*place]).collect();
            assert_eq!(found.len(), 1);
            places[found[0]] += 1;
        }
        // 1,000 groups: 20 at each place, with a standard deviation of 4.4.
        assert!(
            places.iter().all(|times| (3..=40).contains(times)),
            "{places:?}"
        );
    }

    #[test]
    fn a_seed_draws_the_same_sample_again_and_another_one_another() {
        assert_eq!(drawn(7, 10, 1000), drawn(7, 10, 1000));
        assert_ne!(drawn(7, 10, 1000), drawn(8, 10, 1000));
        assert!(drawn(1, 1, 10).iter().all(|drawn| *drawn));
        assert_eq!(drawn(1, u32::MAX, 1000).len(), 1000);
    }
}
