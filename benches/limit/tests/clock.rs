//! The `clock` program, run for real.

use std::process::{Command, Output};

fn clock(words: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_clock");
    let output = Command::new(program).args(words).output();
    output.expect("the program is built with its tests")
}

fn number(output: &str, name: &str) -> Option<u64> {
    let (_, after) = output.split_once(&format!("\"{name}\":"))?;
    after.split([',', '}']).next()?.parse().ok()
}

#[test]
fn each_due_time_after_the_warm_up_has_a_lag() {
    for waits in ["spinning", "sleeping"] {
        let output = clock(&["2000", "0.1", "0.2", waits]);
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(number(&output, "count"), Some(400), "{output}");
        let lags = ["p50_ns", "p99_ns", "p999_ns", "max_ns"].map(|name| number(&output, name));
        assert!(lags.is_sorted() && lags[3] > Some(0), "{output}");
    }
}

#[test]
fn a_run_without_an_end_is_refused() {
    for words in [
        &["1000", "0", "1"][..],
        &["1000", "0", "1", "dozing"],
        &["1000", "0", "inf", "spinning"],
        &["-5", "0", "1", "spinning"],
        &["NaN", "0", "1", "spinning"],
    ] {
        let output = clock(words);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && complaint.contains("usage"),
            "{words:?}: {complaint}"
        );
    }
}
