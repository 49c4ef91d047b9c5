//! The rotation of requests as one string of bytes. Each burst is a range of it, so nothing is encoded during a run.

use std::ops::Range;
use std::sync::Arc;

/// Most places in a rotation of requests with different weights, after these are reduced.
pub const MOST_PLACES: u64 = 10_000;
/// Most requests of equal weight: they take turns as listed.
pub const MOST_LISTED: u64 = 100_000;
/// Most bytes of the script.
pub const MOST_BYTES: usize = 1 << 30;

/// The sequence of requests and its bytes, the script. The beginning is repeated at the end, so that no burst wraps.
#[derive(Clone, Debug)]
pub struct Rotation {
    script: Arc<[u8]>,
    /// The start of each place in the script, and the end of the last.
    starts: Vec<usize>,
    /// The request at each place.
    requests: Vec<u32>,
    length: usize,
}

impl Rotation {
    /// A rotation of `encoded` requests by their `weights`, for bursts of at most `burst` calls.
    ///
    /// # Errors
    /// A message: the rotation or the script is too large.
    pub fn new(encoded: &[Vec<u8>], weights: &[u32], burst: u32) -> Result<Self, String> {
        let rotation = rotation(weights)?;
        let length = rotation.len();
        let places = length + burst.saturating_sub(1) as usize;
        let requests: Vec<u32> = (0..places).map(|place| rotation[place % length]).collect();
        Ok(Self {
            length,
            ..Self::of(encoded, requests)?
        })
    }

    /// These `requests`, one at each place.
    ///
    /// # Errors
    /// A message: the script is too large.
    pub fn of(encoded: &[Vec<u8>], requests: Vec<u32>) -> Result<Self, String> {
        let total: usize = requests.iter().map(|&r| encoded[r as usize].len()).sum();
        if total > MOST_BYTES {
            return Err(format!(
                "the requests take {total} bytes, each repeated by its weight, by the burst and by the scripts: expected at most {MOST_BYTES}"
            ));
        }
        let mut script = Vec::with_capacity(total);
        let mut starts = Vec::with_capacity(requests.len() + 1);
        for &request in &requests {
            starts.push(script.len());
            script.extend_from_slice(&encoded[request as usize]);
        }
        starts.push(script.len());
        Ok(Self {
            script: script.into(),
            starts,
            length: requests.len(),
            requests,
        })
    }

    /// The bytes of the whole rotation, for the driver.
    pub fn script(&self) -> Arc<[u8]> {
        Arc::clone(&self.script)
    }

    /// Places before the rotation repeats.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The range of the script with the requests at these places.
    #[inline]
    pub fn range(&self, places: Range<usize>) -> (usize, usize) {
        (self.starts[places.start], self.starts[places.end])
    }

    /// The request at `place`.
    #[inline]
    pub fn request(&self, place: usize) -> u32 {
        self.requests[place]
    }

    /// The bytes of the request at `place`.
    pub fn bytes(&self, place: usize) -> &[u8] {
        &self.script[self.starts[place]..self.starts[place + 1]]
    }
}

/// The request at each place, spread as evenly as the weights allow (smooth weighted round robin).
fn rotation(weights: &[u32]) -> Result<Vec<u32>, String> {
    let divisor = weights.iter().copied().fold(0, gcd).max(1);
    let weights: Vec<i64> = weights.iter().map(|&w| i64::from(w / divisor)).collect();
    let total: i64 = weights.iter().sum();
    let equal = weights.iter().all(|&weight| weight == 1);
    let most = if equal { MOST_LISTED } else { MOST_PLACES };
    if total == 0 || total as u64 > most {
        return Err(format!(
            "the weights of the requests, divided by their greatest common divisor, add up to {total}: expected 1 to {most}"
        ));
    }
    if equal {
        return Ok((0..total as u32).collect());
    }
    let mut credit = vec![0_i64; weights.len()];
    let mut order = Vec::with_capacity(total as usize);
    for _ in 0..total {
        for (credit, weight) in credit.iter_mut().zip(&weights) {
            *credit += weight;
        }
        let best = (0..credit.len())
            .rev()
            .max_by_key(|&i| credit[i])
            .unwrap_or(0);
        credit[best] -= total;
        order.push(best as u32);
    }
    Ok(order)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_reduced_and_spread_evenly() {
        assert_eq!(rotation(&[20, 10]).unwrap(), [0, 1, 0]);
        assert_eq!(rotation(&[5, 1, 1]).unwrap(), [0, 0, 1, 0, 2, 0, 0]);
    }

    #[test]
    fn requests_of_equal_weight_take_turns_as_listed() {
        let most = MOST_LISTED as usize;
        assert_eq!(rotation(&[7; 4]).unwrap(), [0, 1, 2, 3]);
        assert!(rotation(&vec![1; most]).unwrap().is_sorted());
        assert!(rotation(&vec![1; most + 1]).is_err());
    }

    #[test]
    fn a_burst_that_wraps_is_still_one_range() {
        let rotation = Rotation::new(&[b"aa".to_vec(), b"b".to_vec()], &[1, 1], 5).unwrap();
        assert_eq!(rotation.len(), 2);
        let (from, to) = rotation.range(1..6);
        assert_eq!(&rotation.script()[from..to], b"baabaab");
    }

    #[test]
    fn weights_beyond_the_bound_are_refused() {
        assert!(rotation(&[10_007, 3]).is_err());
        assert!(rotation(&[0, 0]).is_err());
    }
}
