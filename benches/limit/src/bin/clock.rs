//! The lag of a program that only follows a schedule, without sockets or requests. Its lag is caused by the machine alone:
//! timer ticks, interrupts, other programs, the host of a virtual machine.
//!
//! `clock RATE WARM_UP_S SECONDS WAITS`; pin it with `taskset`. `spinning` busy-waits for each due time,
//! `sleeping` lets the kernel wake it. Prints its lag in the format of the engine's measurement.

use std::io::Write;

use driver::{Clock, Nanos};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: clock RATE WARM_UP_S SECONDS spinning|sleeping";
const MOST_MOMENTS: f64 = 1e8;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, rate, warm_up_s, seconds, waits] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let wait: fn(Clock, Nanos) -> Nanos = match waits.as_str() {
        "spinning" => spin,
        "sleeping" => sleep,
        _ => return Err(USAGE.into()),
    };
    let (rate, warm_up_s): (f64, f64) = (rate.parse()?, warm_up_s.parse()?);
    let (warm, all) = (
        rate * warm_up_s,
        rate * (warm_up_s + seconds.parse::<f64>()?),
    );
    if !(warm >= 0.0 && all > warm && all <= MOST_MOMENTS) {
        return Err(USAGE.into());
    }
    wake_on_time()?;
    let clock = Clock::start();
    let mut lags: Vec<Nanos> = (0..all as u64)
        .map(|moment| (moment as f64 / rate * 1e9) as Nanos)
        .map(|due| wait(clock, due) - due)
        .collect();
    let measured = &mut lags[warm as usize..];
    measured.sort_unstable();
    let at =
        |share: f64| measured[((share * measured.len() as f64) as usize).min(measured.len() - 1)];
    writeln!(
        std::io::stdout(),
        r#"{{"times":{{"lag":{{"count":{},"p50_ns":{},"p99_ns":{},"p999_ns":{},"max_ns":{}}}}}}}"#,
        measured.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
    )?;
    Ok(())
}

/// Busy-waits until `due`; returns the time after it.
fn spin(clock: Clock, due: Nanos) -> Nanos {
    loop {
        let now = clock.now();
        if now >= due {
            return now;
        }
    }
}

fn sleep(clock: Clock, due: Nanos) -> Nanos {
    loop {
        let now = clock.now();
        if now >= due {
            return now;
        }
        std::thread::sleep(clock.until(due));
    }
}

/// Sets the timer slack to 1 ns, like the engine.
fn wake_on_time() -> Result<(), Failure> {
    // SAFETY: a number is set.
    if unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) } == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error().into())
    }
}
