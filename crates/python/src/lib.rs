//! The Python module of the engine, of the reference server and of the statistics of steps: converts values, releases the GIL, maps errors.

mod steps;

use std::path::Path;
use std::time::Duration;

use answer::{Answer, Name};
use engine::{EngineError as Fault, Kind, Phase, Plan};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::json;

create_exception!(
    _engine,
    EngineError,
    PyException,
    "`args` are (kind, message, hint or None); kind: usage, target, environment, internal."
);

/// A part of a call: the number of the call, the name of the part, its bytes.
type Traced<'py> = (u64, &'static str, Bound<'py, PyBytes>);

/// A run of a plan, on threads of its own.
#[pyclass]
struct Run {
    run: engine::Run,
}

#[pymethods]
impl Run {
    /// Waits for a phase, at most for `timeout_s`; true once it or a later one is reached.
    fn wait(&self, py: Python<'_>, phase: &str, timeout_s: f64) -> PyResult<bool> {
        let phase = Phase::named(phase)
            .ok_or_else(|| PyValueError::new_err(format!("unknown phase `{phase}`")))?;
        let timeout = Duration::try_from_secs_f64(timeout_s)
            .map_err(|e| PyValueError::new_err(format!("`{timeout_s}`: {e}")))?;
        Ok(py.detach(|| self.run.wait(phase, timeout)))
    }

    /// The progress so far, as JSON.
    fn progress(&self) -> PyResult<String> {
        to_json(&self.run.progress())
    }

    /// No new requests; a second time: no more waiting for replies.
    fn stop(&self) {
        self.run.stop();
    }

    /// The measurement as JSON, at the end of the run.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        let measurement = py.detach(|| self.run.result()).map_err(raise)?;
        to_json(&measurement)
    }

    /// The start of the schedule by the wall clock, in nanoseconds since 1970; None: it has not started.
    #[getter]
    fn started_at_ns(&self) -> Option<u64> {
        self.run.started_at_ns()
    }

    /// Everything that the measurement was computed from, at the end of the run, for `merge`.
    fn whole<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.run.whole()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The call log, at the end of the run: records of 72 bytes, little-endian.
    fn call_log<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let log = py.detach(|| self.run.call_log()).map_err(raise)?;
        Ok(PyBytes::new(py, &log))
    }

    /// The trace, at the end of the run: (number of the call, name of the part, bytes).
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Vec<Traced<'py>>> {
        let parts = py.detach(|| self.run.trace()).map_err(raise)?;
        let parts = parts.into_iter();
        Ok(parts
            .map(|(call, kind, bytes)| (call, kind, PyBytes::new(py, &bytes)))
            .collect())
    }
}

/// The reference server, on threads of its own, from its construction to `stop`.
#[pyclass]
struct Reference {
    server: Option<reference::Server>,
    address: String,
}

#[pymethods]
impl Reference {
    #[new]
    #[pyo3(signature = (listen, pages, threads = 1, cpus = None, keep_arrivals = false))]
    fn new(
        py: Python<'_>,
        listen: &str,
        pages: Vec<(String, String, Vec<u8>)>,
        threads: usize,
        cpus: Option<Vec<usize>>,
        keep_arrivals: bool,
    ) -> PyResult<Self> {
        let listen = listen
            .parse()
            .map_err(|e: String| raise(Fault::new(Kind::Usage, e)))?;
        let pages = pages
            .into_iter()
            .map(|(path, content_type, body)| reference::Page {
                path,
                content_type,
                body,
            })
            .collect();
        let mut config = reference::Config::new(listen, pages);
        config.threads = threads;
        config.cpus = cpus;
        config.keep_arrivals = keep_arrivals;
        let server = py
            .detach(|| reference::Server::start(config))
            .map_err(|e| raise_reference(&e))?;
        Ok(Self {
            address: server.address(),
            server: Some(server),
        })
    }

    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// Requests answered so far.
    #[getter]
    fn requests(&self) -> u64 {
        self.server.as_ref().map_or(0, reference::Server::requests)
    }

    /// The actual delays of delayed replies since the last call, in nanoseconds.
    fn take_delays(&self) -> Vec<u64> {
        self.server
            .as_ref()
            .map_or_else(Vec::new, reference::Server::take_delays)
    }

    /// The times at which requests since the last call were read, in nanoseconds since the start of the server.
    fn take_arrivals(&self) -> Vec<u64> {
        self.server
            .as_ref()
            .map_or_else(Vec::new, reference::Server::take_arrivals)
    }

    /// Ends its threads and closes its sockets.
    fn stop(&mut self, py: Python<'_>) {
        if let Some(server) = self.server.take() {
            py.detach(|| server.stop());
        }
    }
}

/// Starts a run of the plan, and returns at once. `at`: the start of its schedule, in nanoseconds since 1970.
#[pyfunction]
#[pyo3(signature = (plan_json, at = None))]
fn start(py: Python<'_>, plan_json: &str, at: Option<u64>) -> PyResult<Run> {
    let plan = read_plan(plan_json)?;
    let run = py.detach(|| engine::start_at(&plan, at)).map_err(raise)?;
    Ok(Run { run })
}

/// The measurement of the results of all parts of a plan, as JSON.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn merge(py: Python<'_>, plan_json: &str, results: Vec<PyBackedBytes>) -> PyResult<String> {
    let plan = read_plan(plan_json)?;
    let measurement = py
        .detach(|| engine::merge(&plan, &results))
        .map_err(raise)?;
    to_json(&measurement)
}

/// True if a text has placeholders, or braces that stand for the text of one. `names`: those that it may have besides
/// the kinds. Raises `ValueError` with its faults.
#[pyfunction]
#[pyo3(signature = (text, names = Vec::new()))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn has_placeholders(text: &str, names: Vec<String>) -> PyResult<bool> {
    engine::placeholders_in(text, &names).map_err(|faults| PyValueError::new_err(faults.join("; ")))
}

/// The names of the columns of a data file. Raises `ValueError` if it cannot be read, or its first row is wrong.
#[pyfunction]
fn data_columns(py: Python<'_>, file: &str) -> PyResult<Vec<String>> {
    py.detach(|| engine::columns_of(Path::new(file)))
        .map_err(PyValueError::new_err)
}

/// A text with the braces doubled of all that would be a placeholder.
#[pyfunction]
fn literal(text: &str) -> String {
    engine::literal(text)
}

/// The bytes of the request with this index, as its call with this number sends them.
#[pyfunction]
#[pyo3(signature = (plan_json, index = 0, call = 0))]
fn request_bytes<'py>(
    py: Python<'py>,
    plan_json: &str,
    index: u32,
    call: u64,
) -> PyResult<Bound<'py, PyBytes>> {
    let plan = read_plan(plan_json)?;
    let bytes = engine::request_bytes(&plan, index, call).map_err(raise)?;
    Ok(PyBytes::new(py, &bytes))
}

fn read_plan(plan_json: &str) -> PyResult<Plan> {
    serde_json::from_str(plan_json).map_err(|e| {
        raise(Fault::new(
            Kind::Usage,
            format!("the plan cannot be read: {e}"),
        ))
    })
}

/// The drivers that are available on this machine, as JSON.
#[pyfunction]
fn probe() -> PyResult<String> {
    let (chosen, reason, availability) = engine::probe();
    to_json(&json!({
        "chosen": chosen,
        "reason": reason,
        "io_uring": availability.uring,
        "epoll": availability.epoll,
    }))
}

/// The values of a histogram (in nanoseconds) at these quantiles (0 to 1).
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn quantiles(hdr_base64: &str, quantiles: Vec<f64>) -> PyResult<Vec<u64>> {
    engine::quantiles(hdr_base64, &quantiles).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The percentile distribution of a histogram, in the text format of `HdrHistogram`.
#[pyfunction]
fn hgrm(hdr_base64: &str, unit_ns: u64) -> PyResult<String> {
    engine::hgrm(hdr_base64, unit_ns).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The names of their own that placeholders of a text have; none if it has faults. `names`: as in `has_placeholders`.
#[pyfunction]
#[pyo3(signature = (text, names = Vec::new()))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn own_names(text: &str, names: Vec<String>) -> Vec<String> {
    engine::own_names(text, &names)
}

/// The fault of a right answer in the notation `kind` (`json`, `html` or `regex`); None: it has none. `names`: those of
/// values that its request sends.
#[pyfunction]
#[pyo3(signature = (kind, answer, names = Vec::new()))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python lists convert to owned vectors"
)]
fn answer_fault(kind: &str, answer: &str, names: Vec<String>) -> Option<String> {
    let is_secret = false;
    let name = |text| Name { text, is_secret };
    let names: Vec<Name> = names.iter().map(|text| name(text)).collect();
    let answer = match kind {
        "json" => Answer::json(answer, &names),
        "html" => Answer::html(answer, &names),
        _ => Answer::regex(answer),
    };
    answer.err()
}

/// The fault of a body beside the JSON, the HTML or the expression that a request expects, for its call with this number.
/// None: it is right, or nothing of the kind is expected.
#[pyfunction]
#[pyo3(signature = (plan_json, body, index = 0, call = 0))]
fn body_fault(
    py: Python<'_>,
    plan_json: &str,
    body: &[u8],
    index: u32,
    call: u64,
) -> PyResult<Option<String>> {
    let plan = read_plan(plan_json)?;
    py.detach(|| engine::body_fault(&plan, index, call, body))
        .map_err(raise)
}

fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| {
        raise(Fault::new(
            Kind::Internal,
            format!("the result cannot be written as JSON: {e}"),
        ))
    })
}

fn raise(fault: Fault) -> PyErr {
    EngineError::new_err((fault.kind.name(), fault.message, fault.hint))
}

fn raise_reference(error: &reference::ReferenceError) -> PyErr {
    EngineError::new_err(("environment", error.to_string(), error.hint()))
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EngineError", module.py().get_type::<EngineError>())?;
    module.add_class::<Run>()?;
    module.add_class::<Reference>()?;
    module.add_function(wrap_pyfunction!(start, module)?)?;
    module.add_function(wrap_pyfunction!(merge, module)?)?;
    module.add_function(wrap_pyfunction!(data_columns, module)?)?;
    module.add_function(wrap_pyfunction!(has_placeholders, module)?)?;
    module.add_function(wrap_pyfunction!(own_names, module)?)?;
    module.add_function(wrap_pyfunction!(literal, module)?)?;
    module.add_function(wrap_pyfunction!(request_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(probe, module)?)?;
    module.add_function(wrap_pyfunction!(quantiles, module)?)?;
    module.add_function(wrap_pyfunction!(hgrm, module)?)?;
    module.add_function(wrap_pyfunction!(answer_fault, module)?)?;
    module.add_function(wrap_pyfunction!(body_fault, module)?)?;
    steps::add_to(module)
}
