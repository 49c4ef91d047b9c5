//! The clearest of many divisions of a series: the largest |t| of the values in a part against the others.

use crate::{mean, sums};

/// A series of at least three values, with sums over any of its parts.
#[derive(Debug, Clone)]
pub struct Series {
    count: usize,
    /// Sums of the values, less their mean.
    values: Vec<f64>,
    /// Sums of the variances of the values by the intervals of their own runs.
    own: Vec<f64>,
    squares: f64,
    finest: f64,
}

/// The values from `begin` up to, and without, `end`, and their |t|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub begin: usize,
    pub end: usize,
    pub t: f64,
}

impl Series {
    /// `own`: as many variances as values. No difference has a standard error below `finest`.
    pub fn new(values: &[f64], own: &[f64], finest: f64) -> Self {
        let middle = mean(values);
        let centred = values.iter().map(|value| value - middle);
        Self {
            count: values.len(),
            squares: centred.clone().map(|away| away * away).sum(),
            values: sums(centred),
            own: sums(own.iter().copied()),
            finest,
        }
    }

    /// The clearest division into the values before one of these places and those from it on.
    pub fn clearest_cut(&self, cuts: &[usize]) -> Option<Stretch> {
        clearest(cuts.iter().map(|&cut| self.stretch(0, cut)))
    }

    /// The clearest division into a stretch of at least `least` values and those around it, of which at least `least`
    /// follow it. The stretch is among the `most` values before these.
    pub fn clearest_stretch(&self, least: usize, most: usize) -> Option<Stretch> {
        let after = self.count.saturating_sub(least);
        let begins = after.saturating_sub(most)..(after + 1).saturating_sub(least);
        clearest(
            begins
                .flat_map(|begin| (begin + least..=after).map(move |end| self.stretch(begin, end))),
        )
    }

    fn stretch(&self, begin: usize, end: usize) -> Stretch {
        let inside = (end - begin) as f64;
        let (count, outside) = (self.count as f64, (self.count - (end - begin)) as f64);
        let shares = 1.0 / inside + 1.0 / outside;
        let step = (self.values[end] - self.values[begin]) * shares;
        let left = (self.squares - step * step * inside * outside / count).max(0.0);
        let spread = (left / (count - 2.0) * shares).sqrt();
        let part = self.own[end] - self.own[begin];
        let rest = self.own[self.count] - part;
        let own = (part / (inside * inside) + rest / (outside * outside)).sqrt();
        let t = step.abs() / spread.max(own).max(self.finest);
        Stretch { begin, end, t }
    }
}

/// The one with the largest t, the first of equal ones.
fn clearest(stretches: impl Iterator<Item = Stretch>) -> Option<Stretch> {
    stretches.reduce(|best, one| if one.t > best.t { one } else { best })
}
