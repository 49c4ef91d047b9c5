//! Distributions of delays. Pure: the random number generator is an argument.

use std::str::FromStr;
use std::time::Duration;

use rand_xoshiro::rand_core::Rng;

use crate::duration::parse_duration;
use crate::random::unit;

/// A distribution with known quantiles, to compare measured ones with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// `10ms`
    Constant(Duration),
    /// `uniform:5ms-15ms`
    Uniform { low: Duration, high: Duration },
    /// `exponential:10ms`
    Exponential { mean: Duration },
    /// `bimodal:1ms,10ms,0.9`: the first delay with this probability, otherwise the second.
    Bimodal {
        first: Duration,
        second: Duration,
        first_share: f64,
    },
}

impl Delay {
    pub fn draw(&self, generator: &mut impl Rng) -> Duration {
        match *self {
            Self::Constant(delay) => delay,
            Self::Uniform { low, high } => low + high.saturating_sub(low).mul_f64(unit(generator)),
            // Inverse transform sampling. 1 - u is never 0, so the logarithm is finite.
            Self::Exponential { mean } => mean.mul_f64(-(1.0 - unit(generator)).ln()),
            Self::Bimodal {
                first,
                second,
                first_share,
            } => {
                if unit(generator) < first_share {
                    first
                } else {
                    second
                }
            }
        }
    }
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or(("constant", text));
        match kind {
            "constant" => parse_duration(rest).map(Self::Constant),
            "uniform" => uniform(rest),
            "exponential" => parse_duration(rest).map(|mean| Self::Exponential { mean }),
            "bimodal" => bimodal(rest),
            _ => Err(format!(
                "delay `{text}`: expected `TIME`, `uniform:LOW-HIGH`, `exponential:MEAN` or \
                 `bimodal:FIRST,SECOND,SHARE`"
            )),
        }
    }
}

fn uniform(text: &str) -> Result<Delay, String> {
    let wrong = || format!("uniform delay `{text}`: expected `LOW-HIGH`");
    let (low, high) = text.split_once('-').ok_or_else(wrong)?;
    let (low, high) = (parse_duration(low)?, parse_duration(high)?);
    if low > high {
        return Err(wrong());
    }
    Ok(Delay::Uniform { low, high })
}

fn bimodal(text: &str) -> Result<Delay, String> {
    let parts: Vec<&str> = text.split(',').collect();
    let &[first, second, share] = parts.as_slice() else {
        return Err(format!(
            "bimodal delay `{text}`: expected `FIRST,SECOND,SHARE`"
        ));
    };
    Ok(Delay::Bimodal {
        first: parse_duration(first)?,
        second: parse_duration(second)?,
        first_share: parse_share(share)?,
    })
}

/// Parses a share of all requests, from 0 to 1.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("share `{text}`: expected a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::random::Generator;

    const DRAWS: usize = 100_000;

    /// `DRAWS` delays in milliseconds, sorted.
    fn drawn(text: &str, seed: u64) -> Vec<f64> {
        let delay: Delay = text.parse().unwrap();
        let mut generator = Generator::seed_from_u64(seed);
        let mut all: Vec<f64> = (0..DRAWS)
            .map(|_| delay.draw(&mut generator).as_secs_f64() * 1e3)
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Kolmogorov-Smirnov test at the bound 1.95/√n, which a correct sampler passes for 999 of 1,000 seeds. The seeds
    /// here are fixed.
    fn assert_follows(all: &[f64], truth: impl Fn(f64) -> f64) {
        let n = all.len() as f64;
        let distance = all
            .iter()
            .enumerate()
            .fold(0.0_f64, |worst, (place, value)| {
                let (below, above) = (place as f64 / n, (place + 1) as f64 / n);
                worst
                    .max((truth(*value) - below).abs())
                    .max((truth(*value) - above).abs())
            });
        assert!(distance < 1.95 / n.sqrt(), "distance {distance}");
    }

    #[test]
    fn a_constant_delay_is_always_the_same() {
        let all = drawn("10ms", 1);
        assert!(all.iter().all(|value| (*value - 10.0).abs() < 1e-9));
    }

    #[test]
    fn an_exponential_delay_follows_its_distribution() {
        assert_follows(&drawn("exponential:10ms", 1), |value| {
            1.0 - (-value / 10.0).exp()
        });
    }

    #[test]
    fn a_uniform_delay_follows_its_distribution() {
        let all = drawn("uniform:5ms-15ms", 2);
        assert!(all[0] >= 5.0 && all[DRAWS - 1] <= 15.0);
        assert_follows(&all, |value| (value - 5.0) / 10.0);
    }

    #[test]
    fn a_bimodal_delay_takes_its_first_value_with_its_share() {
        let all = drawn("bimodal:1ms,10ms,0.9", 3);
        let first = all
            .iter()
            .filter(|value| (**value - 1.0).abs() < 1e-9)
            .count();
        let second = all
            .iter()
            .filter(|value| (**value - 10.0).abs() < 1e-9)
            .count();
        assert_eq!(first + second, DRAWS);
        // Four standard deviations of a count with p = 0.9.
        let four_sigma = 4.0 * (DRAWS as f64 * 0.9 * 0.1).sqrt();
        assert!(
            (first as f64 - 0.9 * DRAWS as f64).abs() < four_sigma,
            "{first}"
        );
    }

    #[test]
    fn the_same_seed_draws_the_same_delays() {
        assert_eq!(drawn("exponential:1ms", 7), drawn("exponential:1ms", 7));
        assert_ne!(drawn("exponential:1ms", 7), drawn("exponential:1ms", 8));
    }

    #[test]
    fn a_malformed_delay_is_refused() {
        for text in [
            "",
            "soon",
            "normal:1ms",
            "uniform:1ms",
            "uniform:2ms-1ms",
            "bimodal:1ms,2ms",
            "bimodal:1ms,2ms,1.1",
            "bimodal:1ms,2ms,NaN",
            "exponential:",
        ] {
            assert!(text.parse::<Delay>().is_err(), "{text}");
        }
    }
}
