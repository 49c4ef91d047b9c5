//! The rate over time, its integral, and the inverse of the integral.
//!
//! Λ(t), the expected number of arrivals by t, is the integral of the rate: in a segment that goes from a to b in T
//! seconds it is a·x + m·x²/2 with m = (b − a)/T. Its inverse, where y arrivals are reached, is
//! x = 2y / (a + √(a² + 2·m·y)): the root of that quadratic in the form that loses no digits when m is near 0 (Higham,
//! Accuracy and Stability of Numerical Algorithms, §1.8).

use crate::segment::Segment;

/// A segment with its start in time and in arrivals.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start_s: f64,
    /// Its length; infinite for the last piece.
    seconds: f64,
    /// Expected arrivals before it.
    before: f64,
    /// Rate at its start, per second.
    from: f64,
    /// Change of the rate, per second per second.
    slope: f64,
}

impl Piece {
    /// Expected arrivals in its first `x` seconds.
    fn arrivals(&self, x: f64) -> f64 {
        (self.from + self.slope * x / 2.0) * x
    }

    /// Seconds from its start until `arrivals` are expected.
    fn seconds_until(&self, arrivals: f64) -> f64 {
        if arrivals <= 0.0 {
            return 0.0;
        }
        let square = (self.from * self.from + 2.0 * self.slope * arrivals).max(0.0);
        (2.0 * arrivals / (self.from + square.sqrt())).min(self.seconds)
    }

    /// Expected arrivals before its end.
    fn end(&self) -> f64 {
        match (self.seconds.is_finite(), self.from > 0.0) {
            (true, _) => self.before + self.arrivals(self.seconds),
            (false, true) => f64::INFINITY,
            (false, false) => self.before,
        }
    }
}

/// The rate at all times.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pieces: Vec<Piece>,
    round: Option<Round>,
}

/// One repetition of the pieces.
#[derive(Clone, Copy, Debug)]
struct Round {
    seconds: f64,
    arrivals: f64,
}

impl Curve {
    /// The curve of these segments. The last rate continues forever, or with `cycle` they are repeated.
    pub(crate) fn new(segments: &[Segment], cycle: bool) -> Self {
        let mut pieces: Vec<Piece> = Vec::with_capacity(segments.len() + 1);
        let (mut start_s, mut before) = (0.0, 0.0);
        for segment in segments {
            let Some(seconds) = segment.seconds else {
                break;
            };
            let slope = (segment.to_per_s - segment.from_per_s) / seconds;
            let piece = Piece {
                start_s,
                seconds,
                before,
                from: segment.from_per_s,
                slope,
            };
            (start_s, before) = (start_s + seconds, piece.end());
            pieces.push(piece);
        }
        if cycle && before > 0.0 {
            let round = Some(Round {
                seconds: start_s,
                arrivals: before,
            });
            return Curve { pieces, round };
        }
        let last = segments.last().map_or(0.0, |segment| segment.to_per_s);
        pieces.push(Piece {
            start_s,
            seconds: f64::INFINITY,
            before,
            from: last,
            slope: 0.0,
        });
        Curve {
            pieces,
            round: None,
        }
    }

    /// Expected arrivals in the first `seconds`.
    pub(crate) fn arrivals_by(&self, seconds: f64) -> f64 {
        let Some(round) = self.round else {
            return self.arrivals_within(seconds);
        };
        let rounds = (seconds / round.seconds).floor();
        let rest = (seconds - rounds * round.seconds).max(0.0);
        rounds * round.arrivals + self.arrivals_within(rest)
    }

    /// As [`Curve::arrivals_by`], without repetition.
    fn arrivals_within(&self, seconds: f64) -> f64 {
        let begun = self
            .pieces
            .iter()
            .rev()
            .find(|piece| piece.start_s <= seconds);
        begun.map_or(0.0, |piece| {
            piece.before + piece.arrivals((seconds - piece.start_s).min(piece.seconds))
        })
    }

    /// Seconds until more than `arrivals` are expected, or `None` if they never are.
    ///
    /// `piece` is where the previous search ended, so that rising numbers of arrivals need no new search.
    pub(crate) fn seconds_until(&self, arrivals: f64, piece: &mut usize) -> Option<f64> {
        let Some(round) = self.round else {
            return self.seconds_within(arrivals, piece);
        };
        let rounds = (arrivals / round.arrivals).floor();
        let rest = (arrivals - rounds * round.arrivals).max(0.0);
        if self
            .pieces
            .get(*piece)
            .is_none_or(|here| rest < here.before)
        {
            *piece = 0;
        }
        let within = self.seconds_within(rest, piece);
        Some(rounds * round.seconds + within.unwrap_or(round.seconds))
    }

    /// As [`Curve::seconds_until`], without repetition.
    fn seconds_within(&self, arrivals: f64, piece: &mut usize) -> Option<f64> {
        while let Some(here) = self.pieces.get(*piece) {
            if arrivals < here.end() {
                return Some(here.start_s + here.seconds_until(arrivals - here.before));
            }
            *piece += 1;
        }
        None
    }
}
