//! The kinds of placeholders: their arguments, and the values that stand for them.

use crate::plan::placeholders::digits::write_signed;
use crate::plan::placeholders::draws::{Draws, after, below};
use crate::plan::placeholders::escape::Place;
use crate::plan::placeholders::moment::Form;
use crate::plan::placeholders::zipf::Zipf;

/// Most values of a choice.
const MOST_CHOICES: usize = 1000;
/// Most values of a Zipf distribution: larger numbers have no exact place in a `f64`.
const MOST_RANKS: u64 = 1 << 53;
/// The largest exponent: already at 20, the second value is one in a million.
const LARGEST_EXPONENT: f64 = 20.0;
const NAMES: [&str; 6] = ["random", "sequence", "zipf", "choice", "uuid", "now"];

/// A kind of placeholder with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An integer from `low` to `high`, all equally likely.
    Random { low: i64, high: i64 },
    /// Successive integers.
    Sequence { start: i64 },
    /// An integer from `low` on; the lower, the likelier.
    Zipf { low: i64, zipf: Zipf },
    /// One of these texts, all equally likely.
    Choice(Vec<String>),
    /// A random UUID (RFC 9562, version 4).
    Uuid,
    /// The time at which the request is sent.
    Now(Form),
}

impl Kind {
    /// Reads a kind and its arguments; `None`: no kind has this name.
    ///
    /// # Errors
    /// A message: what was expected.
    pub fn parse(name: &str, arguments: Option<&str>) -> Option<Result<Self, String>> {
        Some(match name {
            "random" => range(arguments, 2, "{random:1:10000}")
                .map(|(low, high, _)| Self::Random { low, high }),
            "sequence" => arguments
                .and_then(|text| text.parse().ok())
                .map(|start| Self::Sequence { start })
                .ok_or_else(|| "expected an integer to start from, as in `{sequence:1}`".into()),
            "zipf" => zipf(arguments),
            "choice" => choice(arguments),
            "uuid" if arguments.is_some() => Err("expected no argument".into()),
            "uuid" => Ok(Self::Uuid),
            "now" => match arguments {
                None => Ok(Self::Now(Form::Rfc3339)),
                Some("ms") => Ok(Self::Now(Form::Milliseconds)),
                Some("s") => Ok(Self::Now(Form::Seconds)),
                Some(_) => Err("expected `{now}`, `{now:ms}` or `{now:s}`".into()),
            },
            _ => return None,
        })
    }

    /// The kind that a placeholder without its end was to have, if a text begins as one with arguments does.
    pub fn begun(text: &str) -> Option<&'static str> {
        let (name, _) = text.split_once(':')?;
        NAMES.into_iter().find(|&known| known == name)
    }

    /// True if every value is a JSON value.
    pub fn is_json(&self) -> bool {
        match self {
            Self::Random { .. } | Self::Sequence { .. } | Self::Zipf { .. } => true,
            Self::Now(form) => *form != Form::Rfc3339,
            Self::Uuid => false,
            Self::Choice(texts) => {
                let is_json =
                    |text: &String| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
                texts.iter().all(is_json)
            }
        }
    }

    /// The values in the form that they have in a place, as far as they are known before the run.
    #[must_use]
    pub fn escaped(self, place: Place) -> Self {
        let Self::Choice(texts) = self else {
            return self;
        };
        let escaped = |text: String| {
            let mut out = Vec::with_capacity(text.len());
            place.write(text.as_bytes(), &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        Self::Choice(texts.into_iter().map(escaped).collect())
    }

    /// Appends the value of the call with this number; `draws`: those of this placeholder. [`Kind::escaped`] has
    /// prepared it for `place`.
    #[inline]
    pub fn write(&self, draws: Draws, call: u64, place: Place, out: &mut Vec<u8>) {
        match self {
            Self::Random { low, high } => {
                // 0 if the range has all integers.
                let count = high.wrapping_sub(*low).cast_unsigned().wrapping_add(1);
                let above = below(count, draws.first(call));
                write_signed(low.wrapping_add_unsigned(above), out);
            }
            Self::Sequence { start } => write_signed(start.wrapping_add_unsigned(call), out),
            Self::Zipf { low, zipf } => {
                let rank = zipf.rank(draws.first(call));
                write_signed(low.wrapping_add_unsigned(rank - 1), out);
            }
            Self::Choice(texts) => {
                let index = below(texts.len() as u64, draws.first(call));
                out.extend_from_slice(texts[index as usize].as_bytes());
            }
            Self::Uuid => uuid(draws.first(call), out),
            Self::Now(Form::Rfc3339) if place == Place::Url => {
                let from = out.len();
                Form::Rfc3339.write_now(out);
                let plain: [u8; RFC3339] = std::array::from_fn(|at| out[from + at]);
                out.truncate(from);
                place.write(&plain, out);
            }
            Self::Now(form) => form.write_now(out),
        }
    }
}

/// The length of a time in the form of RFC 3339, up to the year 9999.
const RFC3339: usize = "2026-11-28T11:02:45.123Z".len();

/// The first two of so many arguments, which are a range, and the rest.
fn range<'a>(
    arguments: Option<&'a str>,
    count: usize,
    example: &str,
) -> Result<(i64, i64, &'a str), String> {
    let parts: Vec<&str> = arguments.unwrap_or_default().split(':').collect();
    let integer = |text: &&str| text.parse::<i64>().ok();
    match (
        parts.len() == count,
        parts.first().and_then(integer),
        parts.get(1).and_then(integer),
    ) {
        (true, Some(low), Some(high)) if low <= high => {
            Ok((low, high, parts.last().copied().unwrap_or_default()))
        }
        (true, Some(_), Some(_)) => Err(format!("expected LOW up to HIGH, as in `{example}`")),
        _ => Err(format!(
            "expected integers of at most 64 bits, as in `{example}`"
        )),
    }
}

fn zipf(arguments: Option<&str>) -> Result<Kind, String> {
    const EXAMPLE: &str = "{zipf:1:10000:1.1}";
    let (low, high, exponent) = range(arguments, 3, EXAMPLE)?;
    let exponent = exponent.parse::<f64>().unwrap_or(f64::NAN);
    if !(exponent > 0.0 && exponent <= LARGEST_EXPONENT) {
        return Err(format!(
            "expected an exponent above 0 and up to {LARGEST_EXPONENT}, as in `{EXAMPLE}`"
        ));
    }
    let ranks = high.abs_diff(low).saturating_add(1);
    if ranks > MOST_RANKS {
        return Err("expected at most 2^53 values".into());
    }
    let zipf = Zipf::new(ranks, exponent);
    Ok(Kind::Zipf { low, zipf })
}

fn choice(arguments: Option<&str>) -> Result<Kind, String> {
    let texts: Vec<String> = arguments
        .filter(|text| !text.is_empty())
        .map(|text| text.split(',').map(str::to_owned).collect())
        .ok_or("expected texts, as in `{choice:a,b,c}`")?;
    if texts.len() > MOST_CHOICES {
        return Err(format!(
            "{} texts: expected at most {MOST_CHOICES}",
            texts.len()
        ));
    }
    Ok(Kind::Choice(texts))
}

/// Appends a UUID of random numbers.
fn uuid(draw: u64, out: &mut Vec<u8>) {
    const VERSION: u64 = 0x4000;
    const VARIANT: u64 = 0x8000_0000_0000_0000;
    let high = (draw & !0xf000) | VERSION;
    let low = (after(draw) & (u64::MAX >> 2)) | VARIANT;
    let start = out.len();
    for (bits, width) in [
        (high >> 32, 8),
        (high >> 16, 4),
        (high, 4),
        (low >> 48, 4),
        (low, 12),
    ] {
        if out.len() > start {
            out.push(b'-');
        }
        for digit in (0..width).rev() {
            let digit = (bits >> (4 * digit) & 15) as usize;
            out.push(b"0123456789abcdef"[digit]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(written: &str) -> Result<Kind, String> {
        let (name, arguments) = match written.split_once(':') {
            Some((name, arguments)) => (name, Some(arguments)),
            None => (written, None),
        };
        Kind::parse(name, arguments).unwrap()
    }

    fn value(written: &str, call: u64) -> String {
        let kind = parse(written).unwrap();
        let mut out = Vec::new();
        kind.write(Draws::new(1, 0, 0), call, Place::Plain, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_in_their_range_and_evenly_distributed() {
        let mut counts = [0_u32; 20];
        for call in 0..100_000 {
            let number: i64 = value("random:-9:10", call).parse().unwrap();
            counts[usize::try_from(number + 9).unwrap()] += 1;
        }
        let chi: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - 5000.0).powi(2) / 5000.0)
            .sum();
        // The chance of more is 1 in 1,000: chi-square with 19 degrees of freedom.
        assert!(chi < 43.8, "{chi}");
    }

    #[test]
    fn the_whole_range_of_integers_is_a_range() {
        let wide = format!("random:{}:{}", i64::MIN, i64::MAX);
        let negative = (0..1000).filter(|&call| value(&wide, call).starts_with('-'));
        assert!((400..600).contains(&negative.count()));
        assert_eq!(value("random:5:5", 3), "5");
    }

    #[test]
    fn a_sequence_counts_the_calls() {
        let values: Vec<String> = (0..4).map(|call| value("sequence:-2", call)).collect();
        assert_eq!(values, ["-2", "-1", "0", "1"]);
    }

    #[test]
    fn uuids_have_their_version_and_are_all_different() {
        let all: std::collections::HashSet<String> =
            (0..10_000).map(|call| value("uuid", call)).collect();
        assert_eq!(all.len(), 10_000);
        for uuid in all {
            let parts: Vec<&str> = uuid.split('-').collect();
            assert_eq!(
                parts.iter().map(|p| p.len()).collect::<Vec<_>>(),
                [8, 4, 4, 4, 12]
            );
            assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']));
            assert!(uuid.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-'));
        }
    }

    #[test]
    fn a_choice_takes_each_of_its_texts() {
        let all: std::collections::BTreeSet<String> =
            (0..100).map(|call| value("choice:a,b c,", call)).collect();
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["", "a", "b c"]);
    }

    #[test]
    fn arguments_out_of_bounds_are_refused_with_what_was_expected() {
        for (written, expected) in [
            (
                "random",
                "expected integers of at most 64 bits, as in `{random:1:10000}`",
            ),
            (
                "random:1",
                "expected integers of at most 64 bits, as in `{random:1:10000}`",
            ),
            (
                "random:1:2:3",
                "expected integers of at most 64 bits, as in `{random:1:10000}`",
            ),
            (
                "random:1:99999999999999999999",
                "expected integers of at most 64 bits, as in `{random:1:10000}`",
            ),
            (
                "random:1.5:2",
                "expected integers of at most 64 bits, as in `{random:1:10000}`",
            ),
            (
                "sequence",
                "expected an integer to start from, as in `{sequence:1}`",
            ),
            (
                "zipf:1:10:0",
                "expected an exponent above 0 and up to 20, as in `{zipf:1:10000:1.1}`",
            ),
            (
                "zipf:1:10:NaN",
                "expected an exponent above 0 and up to 20, as in `{zipf:1:10000:1.1}`",
            ),
            ("zipf:0:9007199254740992:1", "expected at most 2^53 values"),
            ("choice", "expected texts, as in `{choice:a,b,c}`"),
            ("choice:", "expected texts, as in `{choice:a,b,c}`"),
            ("uuid:7", "expected no argument"),
            ("now:us", "expected `{now}`, `{now:ms}` or `{now:s}`"),
        ] {
            assert_eq!(parse(written), Err(expected.into()), "{written}");
        }
    }

    #[test]
    fn only_values_that_are_json_may_be_outside_of_its_strings() {
        for (written, is_json) in [
            ("random:1:2", true),
            ("choice:1,true,null,\"a\"", true),
            ("choice:1,a", false),
            ("uuid", false),
            ("now", false),
            ("now:ms", true),
        ] {
            assert_eq!(parse(written).unwrap().is_json(), is_json, "{written}");
        }
    }

    #[test]
    fn times_and_choices_are_percent_encoded_in_a_path() {
        let mut out = Vec::new();
        let now = parse("now").unwrap();
        now.write(Draws::new(1, 0, 0), 0, Place::Url, &mut out);
        let now = String::from_utf8(out).unwrap();
        assert!(
            now.len() == RFC3339 + 4 && now.matches("%3A").count() == 2,
            "{now}"
        );
        let choice = parse("choice:a b").unwrap().escaped(Place::Url);
        assert_eq!(choice, Kind::Choice(vec!["a%20b".into()]));
    }
}
