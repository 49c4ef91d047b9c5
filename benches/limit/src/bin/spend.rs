//! Runs a program on one processor and writes its CPU time and peak memory as JSON.
//!
//! `spend REPORT CPU PROGRAM [ARGUMENT]...`. A small separate program, because a process inherits the peak memory of
//! its parent (`ru_maxrss` survives `exec`): started from an interpreter, every peer would appear large.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: spend REPORT CPU PROGRAM [ARGUMENT]...";

fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [report, cpu, program, rest @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    pin(cpu.to_str().ok_or(USAGE)?.parse()?)?;
    let begin = Instant::now();
    let child = Command::new(program).args(rest).spawn()?;
    let (status, usage) = wait(child.id())?;
    let line = format!(
        "{{\"status\":{},\"wall_s\":{},\"user_s\":{},\"system_s\":{},\"peak_bytes\":{}}}\n",
        if libc::WIFEXITED(status) {
            libc::WEXITSTATUS(status)
        } else {
            128 + libc::WTERMSIG(status)
        },
        begin.elapsed().as_secs_f64(),
        seconds(usage.ru_utime),
        seconds(usage.ru_stime),
        usage.ru_maxrss * 1024,
    );
    std::fs::write(report, line)?;
    Ok(ExitCode::SUCCESS)
}

/// Pins this process and its children to one processor.
fn pin(cpu: usize) -> Result<(), Failure> {
    // SAFETY: a set of processors is plain bits, for which zero is a value; `CPU_SET` ignores a number out of range.
    let answer = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error().into())
    }
}

/// Waits for a process; returns its status and its resource usage, children included.
fn wait(id: u32) -> Result<(libc::c_int, libc::rusage), Failure> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value, and both pointers live through the call; the
    // process is a child that nobody else waits for.
    let (answer, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let answer = libc::wait4(id.cast_signed(), &raw mut status, 0, &raw mut usage);
        (answer, usage)
    };
    if answer < 0 {
        Err(std::io::Error::last_os_error().into())
    } else {
        Ok((status, usage))
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}
