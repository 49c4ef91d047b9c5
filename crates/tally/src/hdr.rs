//! Histograms as text: the compressed V2 format in base64, and the percentile distribution that `HdrHistogram` plots.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use std::fmt::Write;
use thiserror::Error;

/// Lines of the percentile distribution for each halving of the distance to 100 %, as in the Java library.
const TICKS_PER_HALF_DISTANCE: u32 = 5;

/// An error in reading or printing a histogram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TallyError {
    /// The text is not base64.
    #[error("the histogram is not valid base64: {0}")]
    Base64(String),
    /// The text is not a histogram in the V2 format.
    #[error("the histogram is not in the HdrHistogram V2 format: {0}")]
    Format(String),
    /// A quantile is not within 0 to 1.
    #[error("quantile `{0}`: expected 0 to 1")]
    Quantile(String),
    /// The unit is zero.
    #[error("unit `0` ns: expected at least 1 ns")]
    Unit,
}

/// The histogram in the compressed V2 format, as base64.
pub(crate) fn to_text(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .expect("a histogram of bounded size is written to memory");
    STANDARD.encode(bytes)
}

fn from_text(hdr_base64: &str) -> Result<Histogram<u64>, TallyError> {
    let bytes = STANDARD
        .decode(hdr_base64.trim())
        .map_err(|error| TallyError::Base64(error.to_string()))?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| TallyError::Format(error.to_string()))
}

/// The values of a histogram at these quantiles (0 to 1, in any order), in the unit of the histogram.
pub fn quantiles(hdr_base64: &str, quantiles: &[f64]) -> Result<Vec<u64>, TallyError> {
    let histogram = from_text(hdr_base64)?;
    let value = |&quantile: &f64| {
        if !(0.0..=1.0).contains(&quantile) {
            return Err(TallyError::Quantile(quantile.to_string()));
        }
        Ok(histogram.value_at_quantile(quantile))
    };
    quantiles.iter().map(value).collect()
}

/// The percentile distribution of a histogram of nanoseconds, with values in units of `unit_ns`.
///
/// This is the text format of `outputPercentileDistribution` in `HdrHistogram`, which its plotters read.
pub fn hgrm(hdr_base64: &str, unit_ns: u64) -> Result<String, TallyError> {
    if unit_ns == 0 {
        return Err(TallyError::Unit);
    }
    let histogram = from_text(hdr_base64)?;
    let mut text = format!(
        "{:>12} {:>14} {:>10} {:>14}\n\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    rows(&histogram, unit_ns as f64, &mut text);
    footer(&histogram, unit_ns as f64, &mut text);
    Ok(text)
}

fn rows(histogram: &Histogram<u64>, unit_ns: f64, text: &mut String) {
    let mut total = 0;
    for step in histogram.iter_quantiles(TICKS_PER_HALF_DISTANCE) {
        total += step.count_since_last_iteration();
        let value = histogram.highest_equivalent(step.value_iterated_to()) as f64 / unit_ns;
        let quantile = step.quantile_iterated_to();
        // The last row has no fourth column, which would be infinite.
        let distance = 1.0 / (1.0 - quantile);
        let _ = if distance.is_finite() {
            writeln!(
                text,
                "{value:12.3} {quantile:2.12} {total:10} {distance:14.2}"
            )
        } else {
            writeln!(text, "{value:12.3} {quantile:2.12} {total:10}")
        };
    }
}

fn footer(histogram: &Histogram<u64>, unit_ns: f64, text: &mut String) {
    let (mean, stdev) = if histogram.is_empty() {
        (0.0, 0.0)
    } else {
        (histogram.mean() / unit_ns, histogram.stdev() / unit_ns)
    };
    let max = histogram.max() as f64 / unit_ns;
    let total = histogram.len();
    let buckets = histogram.buckets();
    // As in the Java library: twice the number of values that these digits can distinguish, as a power of two.
    let sub_buckets = (2 * 10_u64.pow(u32::from(histogram.sigfig()))).next_power_of_two();
    let _ = writeln!(
        text,
        "#[Mean    = {mean:12.3}, StdDeviation   = {stdev:12.3}]"
    );
    let _ = writeln!(text, "#[Max     = {max:12.3}, Total count    = {total:12}]");
    let _ = writeln!(
        text,
        "#[Buckets = {buckets:12}, SubBuckets     = {sub_buckets:12}]"
    );
}
