//! Whether a reply is the right one: its status, and its body, compared as it arrives.

use std::sync::Arc;

/// The most that is kept of a first reply for "the same as the first"; beyond it only the length is compared.
const MOST_LEARNED: usize = 16 << 20;

/// What a right reply to one request is.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Right statuses; empty: any 2xx or 3xx.
    pub statuses: Vec<u16>,
    pub body: Wanted,
    /// Compare the bytes of every n-th reply.
    pub every: u32,
}

/// What a right body is.
#[derive(Clone, Debug)]
pub enum Wanted {
    Any,
    Length(u64),
    Exact(Arc<[u8]>),
    Same,
}

/// How far the check of one reply has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Check {
    seen: u64,
    wrong: bool,
    compare: bool,
    learning: bool,
}

/// The rules of all requests, and what this thread has learned of them.
#[derive(Debug)]
pub struct Judge {
    rules: Vec<Rule>,
    turns: Vec<u32>,
    learned: Vec<Lesson>,
}

#[derive(Clone, Debug, Default)]
enum Lesson {
    #[default]
    None,
    Learning(Vec<u8>, u64),
    Known(Vec<u8>, u64),
}

impl Judge {
    /// A judge by these rules, one for each request.
    pub fn new(rules: Vec<Rule>) -> Self {
        Self {
            turns: vec![0; rules.len()],
            learned: vec![Lesson::None; rules.len()],
            rules,
        }
    }

    /// Whether a status is right.
    #[inline]
    pub fn status(&self, request: u32, status: u16) -> bool {
        let statuses = &self.rules[request as usize].statuses;
        if statuses.is_empty() {
            (200..400).contains(&status)
        } else {
            statuses.contains(&status)
        }
    }

    /// A reply's body begins.
    #[inline]
    pub fn begin(&mut self, request: u32) -> Check {
        let index = request as usize;
        let turn = &mut self.turns[index];
        *turn += 1;
        let compare = *turn >= self.rules[index].every;
        if compare {
            *turn = 0;
        }
        let mut check = Check {
            compare,
            ..Check::default()
        };
        if matches!(self.rules[index].body, Wanted::Same)
            && matches!(self.learned[index], Lesson::None)
        {
            check.learning = true;
            self.learned[index] = Lesson::Learning(Vec::new(), 0);
        }
        check
    }

    /// More of the body came.
    #[inline]
    pub fn feed(&mut self, request: u32, check: &mut Check, data: &[u8]) {
        let index = request as usize;
        let at = check.seen;
        check.seen += data.len() as u64;
        match &self.rules[index].body {
            Wanted::Exact(bytes) => check.compare(bytes, at, data),
            Wanted::Same => self.feed_same(index, check, at, data),
            Wanted::Any | Wanted::Length(_) => {}
        }
    }

    fn feed_same(&mut self, index: usize, check: &mut Check, at: u64, data: &[u8]) {
        match &mut self.learned[index] {
            Lesson::Learning(bytes, length) if check.learning => {
                *length += data.len() as u64;
                let room = MOST_LEARNED - bytes.len();
                bytes.extend_from_slice(&data[..data.len().min(room)]);
            }
            Lesson::Known(bytes, length) if *length == bytes.len() as u64 => {
                check.compare(bytes, at, data);
            }
            _ => {}
        }
    }

    /// The body is complete; whether it was right.
    #[inline]
    pub fn end(&mut self, request: u32, check: &mut Check) -> bool {
        let index = request as usize;
        let length = match &self.rules[index].body {
            Wanted::Any => return true,
            Wanted::Length(length) => *length,
            Wanted::Exact(bytes) => bytes.len() as u64,
            Wanted::Same => match self.learn(index, check) {
                Some(length) => length,
                None => return true,
            },
        };
        check.seen == length && !check.wrong
    }

    /// The first reply is complete: keep it. Returns the length known so far.
    fn learn(&mut self, index: usize, check: &Check) -> Option<u64> {
        if check.learning
            && let Lesson::Learning(bytes, length) = &mut self.learned[index]
        {
            self.learned[index] = Lesson::Known(std::mem::take(bytes), *length);
        }
        match &self.learned[index] {
            Lesson::Known(_, length) => Some(*length),
            _ => None,
        }
    }

    /// The reply will not be completed.
    pub fn abandon(&mut self, request: u32, check: &Check) {
        if check.learning {
            self.learned[request as usize] = Lesson::None;
        }
    }

    /// What was expected of a reply, in words.
    pub fn expectation(&self, request: u32) -> String {
        match &self.rules[request as usize].body {
            Wanted::Any => "any body".into(),
            Wanted::Length(length) => format!("{length} bytes"),
            Wanted::Exact(bytes) => format!("{} given bytes", bytes.len()),
            Wanted::Same => "the same body as the first reply".into(),
        }
    }
}

impl Check {
    fn compare(&mut self, bytes: &[u8], at: u64, data: &[u8]) {
        if !self.compare || self.wrong {
            return;
        }
        let from = at as usize;
        self.wrong = bytes.get(from..from + data.len()) != Some(data);
    }

    /// Bytes of the body so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(body: Wanted, every: u32) -> Judge {
        Judge::new(vec![Rule {
            statuses: vec![],
            body,
            every,
        }])
    }

    fn reply(judge: &mut Judge, parts: &[&[u8]]) -> bool {
        let mut check = judge.begin(0);
        for part in parts {
            judge.feed(0, &mut check, part);
        }
        judge.end(0, &mut check)
    }

    #[test]
    fn an_exact_body_is_right_in_any_split_and_wrong_by_one_byte_more_less_or_other() {
        let mut judge = judge(Wanted::Exact(Arc::from(*b"PONG")), 1);
        assert!(reply(&mut judge, &[b"PONG"]));
        assert!(reply(&mut judge, &[b"P", b"O", b"NG"]));
        for wrong in [&b"PONg"[..], b"PON", b"PONG!", b""] {
            assert!(!reply(&mut judge, &[wrong]), "{wrong:?}");
        }
    }

    #[test]
    fn a_sampled_check_still_compares_the_length_of_each_reply() {
        let mut judge = judge(Wanted::Exact(Arc::from(*b"PONG")), 3);
        assert!(reply(&mut judge, &[b"xxxx"]));
        assert!(!reply(&mut judge, &[b"xxxxx"]));
        assert!(!reply(&mut judge, &[b"xxxx"]), "the third is compared");
    }

    #[test]
    fn the_first_whole_reply_is_the_model_for_all_others() {
        let mut judge = judge(Wanted::Same, 1);
        let mut cut = judge.begin(0);
        judge.feed(0, &mut cut, b"half");
        judge.abandon(0, &cut);
        assert!(reply(&mut judge, &[b"one", b"two"]));
        assert!(reply(&mut judge, &[b"onetwo"]));
        assert!(!reply(&mut judge, &[b"onetwO"]));
    }

    #[test]
    fn without_statuses_any_success_or_redirect_is_right() {
        let judge = judge(Wanted::Any, 1);
        assert!(judge.status(0, 204) && judge.status(0, 302));
        assert!(!judge.status(0, 404) && !judge.status(0, 199) && !judge.status(0, 500));
    }
}
