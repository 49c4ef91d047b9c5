//! The cases of the contract, for any driver.

use driver::{Driver, Event, Fault, Nanos, Route, What};

use crate::peer::{AFTER_URGENT, BEFORE_URGENT, Peer, Rig};

pub const SECOND: Nanos = 1_000_000_000;
pub const SCRIPT: &[u8] = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n";

/// Collects events until `enough` returns true, for ten seconds at most. `enough` gets each event with its bytes.
pub fn follow<D: Driver>(
    driver: &mut D,
    mut enough: impl FnMut(&mut D, &Event, &[u8]) -> bool,
) -> Vec<What> {
    let mut seen = Vec::new();
    let until = driver.now() + 10 * SECOND;
    while driver.now() < until {
        driver.wait(until).unwrap();
        while let Some(event) = driver.next() {
            seen.push(event.what);
            let bytes = match event.what {
                What::Received => driver.received().to_vec(),
                _ => Vec::new(),
            };
            if enough(driver, &event, &bytes) {
                return seen;
            }
        }
    }
    panic!("ten seconds passed after {seen:?}");
}

pub fn connect<D: Driver>(driver: &mut D, slot: u32, route: &Route) {
    driver.open(slot, route).unwrap();
    let seen = follow(driver, |_, event, _| event.what == What::Connected);
    assert_eq!(seen, [What::Connected]);
}

fn echo_of(rig: &impl Rig, script: &[u8]) {
    let (mut driver, route) = rig.rig(script, Peer::Echo);
    connect(&mut driver, 0, &route);
    driver.send(0, 0, script.len());
    let mut back = Vec::new();
    follow(&mut driver, |_, event, bytes| {
        assert!(matches!(event.what, What::Received | What::Sent));
        back.extend_from_slice(bytes);
        back.len() >= script.len()
    });
    assert!(
        back == script,
        "{} bytes came back of {}",
        back.len(),
        script.len()
    );
}

pub fn what_is_sent_comes_back(rig: &impl Rig) {
    echo_of(rig, SCRIPT);
}

pub fn a_megabyte_comes_back_whole(rig: &impl Rig) {
    let script: Vec<u8> = (0..1_000_003_u32).map(|n| (n % 251) as u8).collect();
    echo_of(rig, &script);
}

pub fn the_end_of_the_peer_is_reported_once(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::End);
    connect(&mut driver, 3, &route);
    driver.send(3, 0, SCRIPT.len());
    assert_eq!(follow(&mut driver, |_, _, _| true), [What::Ended]);
    driver.close(3);
    assert_silent(&mut driver);
}

pub fn a_reset_is_reported_as_a_reset(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Reset);
    connect(&mut driver, 0, &route);
    driver.send(0, 0, SCRIPT.len());
    let seen = follow(&mut driver, |_, _, _| true);
    assert_eq!(seen, [What::Failed(Fault::Reset)]);
}

pub fn a_refusal_is_reported_as_a_refusal(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Refuse);
    driver.open(0, &route).unwrap();
    let seen = follow(&mut driver, |_, _, _| true);
    assert_eq!(seen, [What::Failed(Fault::Refused)]);
}

pub fn waiting_ends_at_its_time_when_nothing_happens(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Silent);
    connect(&mut driver, 0, &route);
    let until = driver.now() + SECOND / 50;
    driver.wait(until).unwrap();
    assert_eq!(driver.next(), None);
    assert!(driver.now() >= until, "it ended early");
}

pub fn a_closed_slot_is_silent_and_can_be_opened_again_at_once(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Echo);
    connect(&mut driver, 0, &route);
    for _ in 0..20 {
        // The echo of this is on its way while the slot is closed and opened again.
        driver.send(0, 0, SCRIPT.len());
        driver.close(0);
        connect(&mut driver, 0, &route);
    }
    assert_silent(&mut driver);
}

/// A read stops at an urgent byte, which is not part of the stream, although more has arrived.
pub fn bytes_after_urgent_data_are_received(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Urgent);
    for slot in 0..20 {
        connect(&mut driver, slot, &route);
        driver.send(slot, 0, SCRIPT.len());
        let expected = [BEFORE_URGENT, AFTER_URGENT].concat();
        let mut received = Vec::new();
        follow(&mut driver, |_, event, bytes| {
            assert_eq!(event.what, What::Received);
            received.extend_from_slice(bytes);
            received.len() >= expected.len()
        });
        assert_eq!(received, expected);
        driver.close(slot);
    }
}

pub fn two_hundred_connections_do_not_mix(rig: &impl Rig) {
    let script: Vec<u8> = (0..20_000_u32).map(|n| (n / 100) as u8).collect();
    let (mut driver, route) = rig.rig(&script, Peer::Echo);
    for slot in 0..200 {
        driver.open(slot, &route).unwrap();
    }
    let mut left = 200 * 100;
    follow(&mut driver, |driver, event, bytes| {
        let place = event.slot as usize * 100;
        if event.what == What::Connected {
            driver.send(event.slot, place, place + 100);
        }
        assert!(bytes.iter().all(|byte| u32::from(*byte) == event.slot));
        left -= bytes.len();
        left == 0
    });
}

pub fn bytes_of_the_caller_are_sent_in_order(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Echo);
    connect(&mut driver, 0, &route);
    let mut all = Vec::new();
    for (number, length) in [1, 200, 9_000, 1, 300_000, 3].into_iter().enumerate() {
        let mut bytes = vec![number as u8; length];
        all.extend_from_slice(&bytes);
        driver.send_bytes(0, &mut bytes);
        assert!(bytes.is_empty(), "the driver takes the bytes");
    }
    let mut back = Vec::new();
    follow(&mut driver, |_, _, bytes| {
        back.extend_from_slice(bytes);
        back.len() >= all.len()
    });
    assert!(back == all, "{} of {} bytes", back.len(), all.len());
}

pub fn ranges_of_the_script_and_bytes_are_sent_in_the_order_given(rig: &impl Rig) {
    let script: Vec<u8> = (0..1_000_003_u32).map(|n| (n % 251) as u8).collect();
    let (mut driver, route) = rig.rig(&script, Peer::Echo);
    connect(&mut driver, 0, &route);
    let mut all = Vec::new();
    for (from, to, bytes) in [
        (7, 20, 300_000),
        (0, script.len(), 3),
        (100, 900_000, 1),
        (50, 51, 9_000),
    ] {
        driver.send(0, from, to);
        all.extend_from_slice(&script[from..to]);
        let mut bytes = vec![b'y'; bytes];
        all.extend_from_slice(&bytes);
        driver.send_bytes(0, &mut bytes);
        assert!(bytes.is_empty(), "the driver takes the bytes");
    }
    let mut back = Vec::new();
    follow(&mut driver, |_, _, bytes| {
        back.extend_from_slice(bytes);
        back.len() >= all.len()
    });
    assert!(back == all, "{} of {} bytes", back.len(), all.len());
}

pub fn the_end_of_a_long_send_is_reported_once(rig: &impl Rig) {
    const LENGTH: usize = 20_000_000;
    let script = vec![b'x'; LENGTH];
    let (mut driver, route) = rig.rig(&script, Peer::Echo);
    connect(&mut driver, 0, &route);
    driver.send(0, 0, LENGTH);
    end_is_reported_once(driver, LENGTH);
}

pub fn the_end_of_a_long_send_of_bytes_is_reported_once(rig: &impl Rig) {
    const LENGTH: usize = 20_000_000;
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Echo);
    connect(&mut driver, 0, &route);
    driver.send_bytes(0, &mut vec![b'x'; LENGTH]);
    end_is_reported_once(driver, LENGTH);
}

/// Asserts this of a send of so many bytes, which are echoed.
fn end_is_reported_once(mut driver: impl Driver, length: usize) {
    let expected = usize::from(driver.sending(0));
    let mut back = 0;
    let seen = follow(&mut driver, |driver, event, bytes| {
        assert!(event.what != What::Sent || !driver.sending(0));
        back += bytes.len();
        back == length
    });
    assert!(!driver.sending(0));
    let reported = seen.iter().filter(|what| **what == What::Sent).count();
    assert_eq!(reported, expected);
}

pub fn a_stuck_send_of_bytes_ends_with_its_connection(rig: &impl Rig) {
    let (mut driver, route) = rig.rig(SCRIPT, Peer::Late);
    for round in 0..3 {
        connect(&mut driver, 0, &route);
        driver.send_bytes(0, &mut vec![round; 20_000_000]);
        driver.send_bytes(0, &mut vec![round; 100]);
        driver.wait(driver.now()).unwrap();
        driver.close(0);
        assert_silent(&mut driver);
    }
    connect(&mut driver, 0, &route);
    driver.send_bytes(0, &mut vec![b'y'; 10_000]);
    let mut back = 0;
    follow(&mut driver, |_, _, bytes| {
        assert!(bytes.iter().all(|byte| *byte == b'y'));
        back += bytes.len();
        back == 10_000
    });
}

/// Asserts that no event happens for 10 ms.
fn assert_silent<D: Driver>(driver: &mut D) {
    let until = driver.now() + SECOND / 100;
    while driver.now() < until {
        driver.wait(until).unwrap();
        assert_eq!(driver.next(), None);
    }
}
