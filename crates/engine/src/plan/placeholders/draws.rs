//! Random numbers that are functions of what they are for: of a seed, a request, a placeholder and a call.
//!
//! `SplitMix64` (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014): its nth number is a
//! function of its start and n, so nothing is stored, and each of several load generators draws those of its calls.

/// The distance of successive states: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random numbers of one placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// Those of the placeholder with this number in the request with this index.
    pub fn new(seed: u64, request: u32, placeholder: u32) -> Self {
        let place = u64::from(request) << 32 | u64::from(placeholder);
        Self(mix(mix(seed.wrapping_add(STEP)) ^ mix(place)))
    }

    /// The first random number of the call with this number.
    #[inline]
    pub fn first(self, call: u64) -> u64 {
        mix(self.0.wrapping_add(call.wrapping_mul(STEP)))
    }
}

/// The number that follows another of the same call.
#[inline]
pub fn after(draw: u64) -> u64 {
    mix(draw.wrapping_add(STEP))
}

/// A number below `count`, evenly distributed; 0: below 2^64.
#[inline]
pub fn below(count: u64, draw: u64) -> u64 {
    match count {
        0 => draw,
        // Each value has the same share of the draws, but for less than one in 2^32 of its own.
        1..=0xffff_ffff => high(draw, count),
        _ => {
            let low = (u128::from(count) * u128::from(after(draw))) >> 64;
            ((u128::from(count) * u128::from(draw) + low) >> 64) as u64
        }
    }
}

/// A number from 0 to 1, 1 excluded.
#[inline]
pub fn unit(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1_u64 << 53) as f64
}

#[inline]
fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[inline]
fn mix(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_seed_request_placeholder_and_call_has_draws_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..10 {
            for request in 0..10 {
                for placeholder in 0..10 {
                    let draws = Draws::new(seed, request, placeholder);
                    assert!((0..10).all(|call| seen.insert(draws.first(call))));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_a_range_are_reached() {
        assert_eq!(below(10, 0), 0);
        assert_eq!(below(10, u64::MAX), 9);
        assert_eq!(below(1 << 63, u64::MAX), (1 << 63) - 1);
        assert_eq!(below(0, u64::MAX), u64::MAX);
        assert!(unit(u64::MAX) < 1.0);
    }
}
