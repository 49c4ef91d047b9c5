//! The functions of the statistics of lasting steps.

use pyo3::prelude::*;
use steps::{Family, Series};

/// The share of shuffles of the values that have as clear a step; `undone`: the step ends within the series.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn share_as_clear(py: Python<'_>, values: Vec<f64>, undone: bool, least: usize) -> f64 {
    let family = if undone { Family::Undone } else { Family::Once };
    py.detach(|| steps::share_as_clear(&values, family, least))
}

/// The best split as (divergence, cut, until); None for fewer than twice `least` values.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn best_split(py: Python<'_>, values: Vec<f64>, least: usize) -> Option<(f64, usize, usize)> {
    let split = py.detach(|| steps::best_split(&values, least));
    split.map(|split| (split.divergence, split.cut, split.until))
}

/// The clearest division at one of the places `cuts`, as (cut, t); None without places.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn clearest_cut(
    values: Vec<f64>,
    own: Vec<f64>,
    finest: f64,
    cuts: Vec<usize>,
) -> Option<(usize, f64)> {
    let found = Series::new(&values, &own, finest).clearest_cut(&cuts);
    found.map(|stretch| (stretch.end, stretch.t))
}

/// The clearest stretch as (begin, end, t); None for too few values.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn clearest_stretch(
    py: Python<'_>,
    values: Vec<f64>,
    own: Vec<f64>,
    finest: f64,
    least: usize,
    most: usize,
) -> Option<(usize, usize, f64)> {
    let series = Series::new(&values, &own, finest);
    let found = py.detach(|| series.clearest_stretch(least, most));
    found.map(|stretch| (stretch.begin, stretch.end, stretch.t))
}

/// The sum over pairs of divisions (size of a part, number of pairs) of the chance that both have this r².
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn chance_of_neighbours(py: Python<'_>, r_squared: f64, count: u32, pairs: Vec<(u32, u32)>) -> f64 {
    py.detach(|| steps::chance_of_neighbours(r_squared, count, &pairs))
}

/// The step, in estimated standard errors, whose t exceeds `limit` in the share `power` of series of `count` values.
#[pyfunction]
fn step_errors(py: Python<'_>, count: u32, limit: f64, power: f64) -> f64 {
    py.detach(|| steps::step_errors(count, limit, power))
}

pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(share_as_clear, module)?)?;
    module.add_function(wrap_pyfunction!(best_split, module)?)?;
    module.add_function(wrap_pyfunction!(clearest_cut, module)?)?;
    module.add_function(wrap_pyfunction!(clearest_stretch, module)?)?;
    module.add_function(wrap_pyfunction!(chance_of_neighbours, module)?)?;
    module.add_function(wrap_pyfunction!(step_errors, module)?)
}
