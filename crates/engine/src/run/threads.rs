//! The threads of a run: all of them work, or none does.

use std::thread;

use crate::error::{EngineError, catch, panicked};
use crate::run::starting_line::StartingLine;
use crate::run::state::RunState;

/// Calls `work` with a number from 0 on this many threads, once all of them exist, and returns their results.
///
/// # Errors
/// A thread cannot be started, returns an error or panics. The other threads are stopped.
pub fn run_together<T: Send>(
    threads: u32,
    state: &RunState,
    work: impl Fn(u32) -> Result<T, EngineError> + Sync,
) -> Result<Vec<T>, EngineError> {
    let all_there = StartingLine::new(threads as usize);
    let guarded = |number| {
        all_there.wait(|| ())?;
        let result = catch(|| work(number));
        if result.is_err() {
            state.abort();
        }
        Some(result)
    };
    let guarded = &guarded;
    thread::scope(|scope| {
        let spawned: Result<Vec<_>, _> = (0..threads)
            .map(|number| {
                thread::Builder::new()
                    .name(format!("httpdyno-{number}"))
                    .spawn_scoped(scope, move || guarded(number))
                    .map_err(|error| not_started(number, threads, &error))
            })
            .collect();
        let running = spawned.inspect_err(|_| all_there.cancel())?;
        let results = running.into_iter().filter_map(|thread| {
            let joined = thread.join();
            joined.unwrap_or_else(|panic| Some(Err(panicked(panic.as_ref()))))
        });
        results.collect::<Vec<_>>().into_iter().collect()
    })
}

fn not_started(number: u32, threads: u32, error: &std::io::Error) -> EngineError {
    let what = format!(
        "engine thread {} of {threads} cannot be started",
        number + 1
    );
    EngineError::environment(&what, error).hint(
        "use fewer threads (`--threads`), or raise the limits of processes (`ulimit -u`) and of memory (`ulimit -v`)",
    )
}

#[cfg(test)]
mod tests {
    use driver::Clock;

    use super::*;
    use crate::error::Kind;

    fn starts(state: &RunState) -> bool {
        state.line.wait(|| 0).is_some()
    }

    #[test]
    fn a_panic_before_the_starting_line_ends_the_run_with_its_message() {
        let state = RunState::new(3);
        let result = run_together(3, &state, |number| {
            assert!(number != 1, "thread {number} broke");
            Ok(starts(&state))
        });
        let error = result.expect_err("one thread panicked");
        assert_eq!(error.kind, Kind::Internal);
        assert_eq!(error.message, "an engine thread panicked: thread 1 broke");
    }

    #[test]
    fn an_error_before_the_starting_line_is_the_one_reported() {
        let state = RunState::new(3);
        let result = run_together(3, &state, |number| {
            if number == 2 {
                return Err(EngineError::new(Kind::Environment, "no driver"));
            }
            Ok(starts(&state))
        });
        assert_eq!(result.expect_err("one thread failed").message, "no driver");
    }

    #[test]
    fn a_stop_request_releases_the_threads_at_the_starting_line() {
        // The barrier waits for three threads, and two arrive.
        let state = RunState::new(3);
        let result = thread::scope(|scope| {
            let run = scope.spawn(|| run_together(2, &state, |_| Ok(starts(&state))));
            state.stop();
            run.join().expect("no panic")
        });
        assert_eq!(result.expect("no error"), [false, false]);
    }

    #[test]
    fn all_threads_start_at_the_same_moment() {
        let state = RunState::new(4);
        let clock = Clock::start();
        let start = |_| Ok(state.line.wait(|| clock.now()));
        let starts = run_together(4, &state, start).expect("no error");
        assert!(starts[0].is_some() && starts.iter().all(|start| *start == starts[0]));
    }
}
