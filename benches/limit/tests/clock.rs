//! The clock's own lag, measured for real.

use std::process::{Command, Output};

fn clock(words: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_clock");
    let told = Command::new(program).args(words).output();
    told.expect("the program is built with its tests")
}

fn number(told: &str, name: &str) -> Option<u64> {
    let (_, after) = told.split_once(&format!("\"{name}\":"))?;
    after.split([',', '}']).next()?.parse().ok()
}

#[test]
fn each_moment_after_the_warm_up_has_a_lag() {
    for waits in ["spinning", "sleeping"] {
        let told = clock(&["2000", "0.1", "0.2", waits]);
        let told = String::from_utf8(told.stdout).unwrap();
        assert_eq!(number(&told, "count"), Some(400), "{told}");
        let lags = ["p50_ns", "p99_ns", "p999_ns", "max_ns"].map(|name| number(&told, name));
        assert!(lags.is_sorted() && lags[3] > Some(0), "{told}");
    }
}

#[test]
fn what_has_no_end_is_not_begun() {
    for words in [
        &["1000", "0", "1"][..],
        &["1000", "0", "1", "dozing"],
        &["1000", "0", "inf", "spinning"],
        &["-5", "0", "1", "spinning"],
        &["NaN", "0", "1", "spinning"],
    ] {
        let told = clock(words);
        let said = String::from_utf8(told.stderr).unwrap();
        assert!(
            !told.status.success() && said.contains("usage"),
            "{words:?}: {said}"
        );
    }
}
