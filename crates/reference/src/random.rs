//! The random numbers behind delays and faults.

use rand_xoshiro::rand_core::Rng;

/// The random number generator: one per thread, seeded from [`Config::seed`](crate::Config::seed).
pub(crate) type Generator = rand_xoshiro::Xoshiro256PlusPlus;

/// A uniform random number in [0, 1), of 53 bits.
pub(crate) fn unit(generator: &mut impl Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
