//! The contract of a driver with the kernel's stamps, beyond that of the others.

use driver::{Driver, Nanos, What};

use crate::cases::{SCRIPT, SECOND, connect, follow};
use crate::peer::{Epoll, Peer, Rig, Stamping};

/// Sends a range and waits for its echo: when its last byte left, and when the echo's last arrived.
fn echo<D: Driver>(driver: &mut D, slot: u32, to: usize) -> (Option<Nanos>, Option<Nanos>) {
    driver.send(slot, 0, to);
    let mut left = to;
    follow(driver, |_, event, bytes| {
        assert_eq!(event.what, What::Received);
        left -= bytes.len();
        left == 0
    });
    (driver.left_at(slot), driver.received_at())
}

fn assert_within(before: Nanos, stamps: (Option<Nanos>, Option<Nanos>), after: Nanos) {
    let (left, arrived) = (stamps.0.unwrap(), stamps.1.unwrap());
    assert!(
        before <= left && left <= arrived && arrived <= after,
        "sent {before}, left {left}, arrived {arrived}, read {after}"
    );
}

#[test]
fn every_request_leaves_after_its_sending_and_before_its_reply_arrives() {
    let (mut driver, route) = Stamping.rig(SCRIPT, Peer::Echo);
    for connection in 0..20 {
        let slot = connection % 3;
        connect(&mut driver, slot, &route);
        for _ in 0..10 {
            let before = driver.now();
            let stamps = echo(&mut driver, slot, SCRIPT.len());
            assert_within(before, stamps, driver.now());
        }
        driver.close(slot);
    }
}

#[test]
fn a_long_request_has_left_when_the_last_of_its_bytes_has() {
    // A peer that only reads: replies that fill the receive buffer leave the kernel no room for a stamp.
    let script = vec![b'x'; 10_000_000];
    let (mut driver, route) = Stamping.rig(&script, Peer::Silent);
    connect(&mut driver, 0, &route);
    for length in [script.len(), 100] {
        let mut waiting = driver.now();
        driver.send(0, 0, length);
        let give_up = waiting + 10 * SECOND;
        while driver.sending(0) {
            waiting = driver.now();
            assert!(waiting < give_up, "the peer does not read");
            driver.wait(give_up).unwrap();
            assert!(driver.next().is_none_or(|event| event.what == What::Sent));
        }
        while driver.left_at(0).is_none() {
            assert!(driver.now() < give_up, "no stamp came");
        }
        let (left, after) = (driver.left_at(0).unwrap(), driver.now());
        assert!(
            waiting <= left && left <= after,
            "waited from {waiting}, left {left}, told {after}"
        );
    }
}

#[test]
fn a_stamp_does_not_end_the_waiting_again_and_again() {
    let (mut driver, route) = Stamping.rig(SCRIPT, Peer::Silent);
    connect(&mut driver, 0, &route);
    driver.send(0, 0, SCRIPT.len());
    let (until, mut waits) = (driver.now() + 50_000_000, 0);
    while driver.now() < until {
        driver.wait(until).unwrap();
        assert_eq!(driver.next(), None, "a stamp is no event");
        waits += 1;
    }
    assert!(waits <= 3, "the wait was ended {waits} times");
    assert!(driver.left_at(0).is_some());
}

#[test]
fn a_driver_without_stamps_tells_none() {
    let (mut driver, route) = Epoll.rig(SCRIPT, Peer::Echo);
    connect(&mut driver, 0, &route);
    assert_eq!(echo(&mut driver, 0, SCRIPT.len()), (None, None));
}
