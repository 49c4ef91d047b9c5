//! The description of arrivals, and the messages about its faults.

use pace::{Arrivals, ArrivalsError, Segment, Spacing};

fn faults(segments: Vec<Segment>) -> Vec<String> {
    let arrivals = Arrivals {
        spacing: Spacing::Constant,
        spread: 1.0,
        segments,
        cycle: false,
    };
    arrivals
        .check()
        .err()
        .map_or(Vec::new(), |error: ArrivalsError| error.faults)
}

fn segment(from_per_s: f64, to_per_s: f64, seconds: Option<f64>) -> Segment {
    Segment {
        from_per_s,
        to_per_s,
        seconds,
    }
}

#[test]
fn the_plan_s_json_is_read_and_written() {
    let json = r#"{"spacing":"exponential","spread":1.0,"segments":[{"from_per_s":1000.0,"to_per_s":2000.0,"seconds":5.0},{"from_per_s":2000.0,"to_per_s":2000.0,"seconds":null}],"cycle":false}"#;
    let arrivals: Arrivals = serde_json::from_str(json).unwrap();
    assert_eq!(arrivals.spacing, Spacing::Exponential);
    assert_eq!(arrivals.segments[1], segment(2000.0, 2000.0, None));
    assert_eq!(arrivals.check(), Ok(()));
    assert_eq!(serde_json::to_string(&arrivals).unwrap(), json);
    let without = json
        .replace(r#","cycle":false"#, "")
        .replace(r#""spread":1.0,"#, "");
    assert_eq!(
        serde_json::from_str::<Arrivals>(&without).unwrap(),
        arrivals
    );
}

#[test]
fn repeated_segments_need_an_end() {
    let endless = Arrivals {
        cycle: true,
        ..Arrivals::constant(5.0)
    };
    let faults = endless.check().unwrap_err().faults;
    assert_eq!(
        faults,
        ["the segments are to be repeated: expected `seconds` in each"]
    );
}

#[test]
fn every_fault_is_told_at_once_with_its_segment() {
    let told = faults(vec![
        segment(-1.0, f64::NAN, Some(0.0)),
        segment(1.0, f64::INFINITY, None),
        segment(1.0, 2.0, None),
    ]);
    assert_eq!(
        told,
        [
            "segment 0: `from_per_s` is `-1`: expected a rate of 0 or more",
            "segment 0: `to_per_s` is `NaN`: expected a rate of 0 or more",
            "segment 0: `seconds` is `0`: expected more than 0",
            "segment 1: `to_per_s` is `inf`: expected a rate of 0 or more",
            "segment 1: `seconds` is missing: only the last segment may have no end",
            "segment 2: `seconds` is missing: a ramp needs a length",
        ]
    );
}

#[test]
fn something_must_arrive() {
    assert_eq!(
        faults(vec![]),
        ["no segment is given: expected at least one"]
    );
    let nothing = ["all rates are 0: expected at least one above 0"];
    assert_eq!(
        faults(vec![segment(0.0, 0.0, Some(1.0)), segment(0.0, 0.0, None)]),
        nothing
    );
    assert!(
        faults(vec![segment(5.0, 0.0, Some(1.0))]).is_empty(),
        "a rate may end at 0"
    );
}

#[test]
fn a_description_that_makes_no_sense_still_gives_a_schedule_that_ends() {
    for rate in [-5.0, f64::NAN, 0.0] {
        let arrivals = Arrivals {
            spacing: Spacing::Exponential,
            spread: 1.0,
            segments: vec![segment(rate, rate, Some(1.0)), segment(rate, rate, None)],
            cycle: false,
        };
        assert_eq!(arrivals.schedule(1).take(10).count(), 0, "{rate}");
    }
}
