//! Tests of the checks of replies.

use std::sync::Arc;

use super::*;

fn checker(body: ExpectedBody, every: u32) -> Checker {
    Checker::new(vec![ExpectedReply {
        statuses: vec![],
        wrong: None,
        body,
        every,
        decode: false,
    }])
}

fn reply(checker: &mut Checker, parts: &[&[u8]]) -> bool {
    let mut check = checker.begin(0);
    for part in parts {
        checker.feed(0, &mut check, &mut None, part);
    }
    checker.end(0, &mut check)
}

#[test]
fn an_exact_body_is_right_in_any_split_and_wrong_by_one_byte_more_less_or_other() {
    let mut checker = checker(ExpectedBody::Exact(Arc::from(*b"PONG")), 1);
    assert!(reply(&mut checker, &[b"PONG"]));
    assert!(reply(&mut checker, &[b"P", b"O", b"NG"]));
    for wrong in [&b"PONg"[..], b"PON", b"PONG!", b""] {
        assert!(!reply(&mut checker, &[wrong]), "{wrong:?}");
    }
}

#[test]
fn a_wrong_body_is_explained_by_its_first_wrong_byte_or_by_its_length_alone() {
    let mut checker = checker(ExpectedBody::Exact(Arc::from(*b"Hello\n")), 1);
    let cases: [(&[&[u8]], &str); 3] = [
        (&[b"He", b"llO\r"], ": the byte at offset 4 is `O`, not `o`"),
        (&[b"Hello\r"], ": the byte at offset 5 is `\\r`, not `\\n`"),
        (&[b"Hello", b"\n!"], ""),
    ];
    for (parts, words) in cases {
        let mut check = checker.begin(0);
        for part in parts {
            checker.feed(0, &mut check, &mut None, part);
        }
        assert!(!checker.end(0, &mut check));
        assert_eq!(check.explanation(), words);
    }
}

#[test]
fn a_sampled_check_still_compares_the_length_of_each_reply() {
    let mut checker = checker(ExpectedBody::Exact(Arc::from(*b"PONG")), 3);
    assert!(reply(&mut checker, &[b"xxxx"]));
    assert!(!reply(&mut checker, &[b"xxxxx"]));
    assert!(!reply(&mut checker, &[b"xxxx"]), "the third is compared");
}

#[test]
fn the_first_whole_reply_is_the_model_for_all_others() {
    let mut checker = checker(ExpectedBody::Same, 1);
    let mut cut = checker.begin(0);
    checker.feed(0, &mut cut, &mut None, b"half");
    checker.abandon(0, &cut);
    assert!(reply(&mut checker, &[b"one", b"two"]));
    assert!(reply(&mut checker, &[b"onetwo"]));
    assert!(!reply(&mut checker, &[b"onetwO"]));
}

#[test]
fn replies_unlike_the_first_are_right_and_told_apart_by_their_size() {
    let mut checker = checker(ExpectedBody::Like(Arc::default()), 1);
    let mut likeness = |body: &[u8]| {
        let mut check = checker.begin(0);
        checker.feed(0, &mut check, &mut None, body);
        assert!(checker.end(0, &mut check));
        checker.likeness(0, &check)
    };
    let page = [b'a'; 300];
    assert_eq!(likeness(&page), Likeness::Like);
    assert_eq!(likeness(&page), Likeness::Like);
    assert_eq!(likeness(&[b'b'; 300]), Likeness::Unlike);
    assert_eq!(likeness(&page[..270]), Likeness::Unlike);
    assert_eq!(likeness(&page[..269]), Likeness::OtherSize);
    assert_eq!(likeness(b""), Likeness::OtherSize);
}

#[test]
fn a_reply_that_is_abandoned_is_no_model() {
    let mut checker = checker(ExpectedBody::Like(Arc::default()), 1);
    let mut error = checker.begin(0);
    checker.feed(0, &mut error, &mut None, b"error");
    checker.abandon(0, &error);
    let mut check = checker.begin(0);
    checker.feed(0, &mut check, &mut None, b"page");
    assert!(checker.end(0, &mut check));
    let mut other = checker.begin(0);
    checker.feed(0, &mut other, &mut None, b"pages");
    assert!(checker.end(0, &mut other));
    assert_eq!(checker.likeness(0, &other), Likeness::Unlike);
}

#[test]
fn without_statuses_any_success_or_redirect_is_right() {
    let checker = checker(ExpectedBody::Any, 1);
    assert!(checker.status(0, 204) && checker.status(0, 302));
    assert!(!checker.status(0, 404) && !checker.status(0, 199) && !checker.status(0, 500));
}
