//! Tests of the checks of replies.

use std::sync::Arc;

use super::*;
use crate::plan::expected::{Content, RightStatuses, Room};

fn rule(body: ExpectedBody, one_in: u32) -> Rule {
    let expected = ExpectedReply {
        statuses: RightStatuses::Range(200, 399),
        body,
        one_in,
        decode: false,
    };
    let mut checker = Checker::new(vec![expected]);
    checker.rules.remove(0)
}

/// No value was sent.
fn none(_: &Content) -> Vec<String> {
    Vec::new()
}

fn begin(rule: &mut Rule) -> BodyCheck {
    let mut check = BodyCheck::default();
    rule.begin(&mut check, Compression::None);
    check
}

fn reply(rule: &mut Rule, parts: &[&[u8]]) -> bool {
    let mut check = begin(rule);
    for part in parts {
        rule.feed(&mut check, part);
    }
    rule.end(&mut check, none)
}

#[test]
fn an_exact_body_is_right_in_any_split_and_wrong_by_one_byte_more_less_or_other() {
    let mut rule = rule(ExpectedBody::Exact(Arc::from(*b"PONG")), 1);
    assert!(reply(&mut rule, &[b"PONG"]));
    assert!(reply(&mut rule, &[b"P", b"O", b"NG"]));
    for wrong in [&b"PONg"[..], b"PON", b"PONG!", b""] {
        assert!(!reply(&mut rule, &[wrong]), "{wrong:?}");
    }
}

#[test]
fn a_wrong_body_is_explained_by_its_first_wrong_byte_or_by_its_length_alone() {
    let mut rule = rule(ExpectedBody::Exact(Arc::from(*b"Hello\n")), 1);
    let cases: [(&[&[u8]], &str); 3] = [
        (&[b"He", b"llO\r"], ": the byte at offset 4 is `O`, not `o`"),
        (&[b"Hello\r"], ": the byte at offset 5 is `\\r`, not `\\n`"),
        (&[b"Hello", b"\n!"], ""),
    ];
    for (parts, words) in cases {
        let mut check = begin(&mut rule);
        for part in parts {
            rule.feed(&mut check, part);
        }
        assert!(!rule.end(&mut check, none));
        assert_eq!(check.explanation(), words);
    }
}

#[test]
fn a_sampled_check_still_compares_the_length_of_each_reply() {
    let mut rule = rule(ExpectedBody::Exact(Arc::from(*b"PONG")), 3);
    let mut right = |body: &[u8]| (0..300).filter(|_| reply(&mut rule, &[body])).count();
    assert_eq!(right(b"xxxxx"), 0);
    assert_eq!(right(b"PONG"), 300);
    assert_eq!(right(b"xxxx"), 200, "one of three is compared");
}

#[test]
fn a_sampled_check_decodes_no_other_body() {
    for body in [
        ExpectedBody::Exact(Arc::from(*b"PONG")),
        ExpectedBody::Like(Arc::default()),
        ExpectedBody::Same,
    ] {
        let mut rule = rule(body, 10);
        rule.expected.decode = true;
        let mut broken = 0;
        for _ in 0..100 {
            let mut check = BodyCheck::default();
            rule.begin(&mut check, Compression::Gzip);
            rule.feed(&mut check, b"PONG");
            broken += u32::from(rule.judge(200, &mut check, none) == Reply::WrongBody);
            rule.abandon(&check);
        }
        assert_eq!(broken, 10, "the others are not decoded");
    }
}

#[test]
fn the_first_whole_reply_is_the_model_for_all_others() {
    let mut rule = rule(ExpectedBody::Same, 1);
    let mut cut = begin(&mut rule);
    rule.feed(&mut cut, b"half");
    rule.abandon(&cut);
    assert!(reply(&mut rule, &[b"one", b"two"]));
    assert!(reply(&mut rule, &[b"onetwo"]));
    assert!(!reply(&mut rule, &[b"onetwO"]));
}

#[test]
fn replies_unlike_the_first_are_right_and_told_apart_by_their_size() {
    let mut rule = rule(ExpectedBody::Like(Arc::default()), 1);
    let mut likeness = |body: &[u8]| {
        let mut check = begin(&mut rule);
        rule.feed(&mut check, body);
        assert!(rule.end(&mut check, none));
        rule.likeness(&check)
    };
    let unlike = |likeness| matches!(likeness, Likeness::Unlike(_));
    let page = [b'a'; 300];
    assert_eq!(likeness(&page), Likeness::Like);
    assert_eq!(likeness(&page), Likeness::Like);
    assert!(unlike(likeness(&[b'b'; 300])));
    assert!(unlike(likeness(&page[..270])));
    assert_eq!(likeness(&page[..269]), Likeness::OtherSize(0));
    assert_eq!(likeness(b""), Likeness::OtherSize(0));
}

#[test]
fn a_reply_that_is_abandoned_is_no_model() {
    let mut rule = rule(ExpectedBody::Like(Arc::default()), 1);
    let mut error = begin(&mut rule);
    rule.feed(&mut error, b"error");
    rule.abandon(&error);
    let mut check = begin(&mut rule);
    rule.feed(&mut check, b"page");
    assert!(rule.end(&mut check, none));
    let mut other = begin(&mut rule);
    rule.feed(&mut other, b"pages");
    assert!(rule.end(&mut other, none));
    assert!(matches!(rule.likeness(&other), Likeness::Unlike(_)));
}

/// The likeness of one reply whose body arrives in these pieces.
fn likeness(rule: &mut Rule, pieces: &[&[u8]]) -> Likeness {
    let mut check = begin(rule);
    for piece in pieces {
        rule.feed(&mut check, piece);
    }
    assert_eq!(rule.judge(200, &mut check, none), Reply::Right);
    rule.likeness(&check)
}

#[test]
fn replies_that_repeat_the_second_body_are_told_from_those_that_vary() {
    let mut first = rule(ExpectedBody::Like(Arc::default()), 1);
    let mut on_another_thread = Checker::new(vec![first.expected.clone()]);
    let thread = on_another_thread.rule(0);
    assert_eq!(likeness(&mut first, &[b"page one"]), Likeness::Like);
    let Likeness::Unlike(mark) = likeness(&mut first, &[b"page", b" two"]) else {
        panic!("it is unlike the first one");
    };
    assert!(mark > 1);
    let pieces: [&[&[u8]]; 3] = [&[b"page two"], &[b"page t", b"wo"], &[b"p", b"age two"]];
    for again in pieces {
        assert_eq!(likeness(thread, again), Likeness::Unlike(mark));
    }
    for other in [
        &b"page TWO"[..],
        b"page twos",
        b"page tw",
        b"page t",
        b"page ",
        b"Page two",
    ] {
        assert_eq!(likeness(thread, &[other]), Likeness::Unlike(0), "{other:?}");
    }
    assert_eq!(likeness(thread, &[b"page one"]), Likeness::Like);
}

#[test]
fn the_beginning_of_the_first_reply_may_be_the_second_body() {
    let mut rule = rule(ExpectedBody::Like(Arc::default()), 1);
    assert_eq!(likeness(&mut rule, &[b"page one"]), Likeness::Like);
    let Likeness::Unlike(mark) = likeness(&mut rule, &[b"page"]) else {
        panic!("it is unlike the first one");
    };
    assert!(mark > 1);
    assert_eq!(likeness(&mut rule, &[b"pa", b"ge"]), Likeness::Unlike(mark));
    assert_eq!(likeness(&mut rule, &[b"pag"]), Likeness::Unlike(0));
    assert_eq!(likeness(&mut rule, &[b"pagE"]), Likeness::Unlike(0));
}

#[test]
fn a_reply_that_is_abandoned_or_too_long_is_no_second_body() {
    let mut rule = rule(ExpectedBody::Like(Arc::default()), 1);
    assert_eq!(likeness(&mut rule, &[b"page"]), Likeness::Like);
    let mut cut = begin(&mut rule);
    rule.feed(&mut cut, b"error");
    rule.abandon(&cut);
    let long = vec![b'x'; MOST_MODEL];
    let too_long = likeness(&mut rule, &[b"y", &long]);
    assert_eq!(too_long, Likeness::OtherSize(0));
    assert_eq!(likeness(&mut rule, &[b"PAGE"]), Likeness::Unlike(0));
    assert_eq!(likeness(&mut rule, &[b"PAGE"]), Likeness::Unlike(0));
}

/// A rule for bodies that are any JSON.
fn any_json(room: &Arc<Room>) -> Rule {
    let answer = Arc::new(answer::Answer::json(r#""{any}""#, &[]).unwrap());
    let room = room.clone();
    rule(
        ExpectedBody::Content(Content {
            answer,
            sent: Arc::default(),
            room,
        }),
        1,
    )
}

#[test]
fn bodies_that_wait_for_their_ends_share_room_and_those_beyond_it_are_left_out() {
    let room = Arc::default();
    let mut rules = [any_json(&room), any_json(&room)];
    let half = vec![b' '; answer::MOST_BYTES / 2 - 1];
    let mut started: Vec<(usize, BodyCheck)> = Vec::new();
    for number in 0..200 {
        let rule = &mut rules[number % 2];
        let mut check = begin(rule);
        rule.feed(&mut check, &half);
        started.push((number % 2, check));
    }
    let waiting = started.iter().filter(|(_, check)| check.compare).count();
    assert_eq!(waiting, 128, "64 MiB are 128 halves of 1 MiB");
    let mut right = 0;
    for (rule, mut check) in started {
        rules[rule].feed(&mut check, b"[");
        right += u32::from(rules[rule].end(&mut check, none));
    }
    assert_eq!(right, 200 - 128, "those that are left out are not judged");
    assert!(!reply(&mut rules[0], &[b"["]), "there is room again");
}
