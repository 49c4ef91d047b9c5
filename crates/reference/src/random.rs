//! The random numbers behind delays and faults.

use rand_xoshiro::rand_core::Rng;

/// The generator all draws come from: one a thread, seeded from [`Config::seed`](crate::Config::seed).
pub(crate) type Generator = rand_xoshiro::Xoshiro256PlusPlus;

/// A number from 0 up to, not including, 1, of 53 random bits.
pub(crate) fn unit(generator: &mut impl Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
