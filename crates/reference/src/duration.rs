//! Durations: parsing, and conversion to nanoseconds.

use std::time::Duration;

/// Longest duration accepted, so that no sum overflows.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Parses a duration with its unit: `250us`, `10ms`, `1.5s`. At most one day.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("time `{text}`: expected a number with `ns`, `us`, `ms` or `s`");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let unit_s = match &text[digits.len()..] {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return Err(wrong()),
    };
    let duration = Duration::try_from_secs_f64(number * unit_s).map_err(|_| wrong())?;
    if duration > LONGEST {
        return Err(format!("time `{text}`: expected at most one day"));
    }
    Ok(duration)
}

/// A duration in nanoseconds, at most 584 years.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_in_each_unit() {
        for (text, nanoseconds) in [
            ("7ns", 7),
            ("250us", 250_000),
            ("10ms", 10_000_000),
            ("1.5s", 1_500_000_000),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_nanos(nanoseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_time_without_unit_or_sense_is_refused() {
        for text in [
            "", "10", "ms", "-1s", "NaNs", "infs", "1e30s", "25000h", "86401s", "1 s",
        ] {
            let message = parse_duration(text).unwrap_err();
            assert!(message.contains(&format!("`{text}`")), "{message}");
        }
    }
}
