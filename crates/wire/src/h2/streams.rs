//! The streams of a connection that are open (RFC 9113 §5.1): a lane for each, which the next stream uses again.
//!
//! Ids only grow, and streams end in any order. So lanes are found by a hash of the id, in a table that is never more than half
//! full. Nothing is kept of streams that have ended.

use crate::h2::frame::MOST_WINDOW;
use crate::h2::received::Received;

/// A stream that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its id on the connection, which is never used again.
    pub id: u32,
    /// A small number, unique among the open streams of the connection: the place of what its user keeps for it.
    pub lane: u32,
}

/// The state of one stream.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts of a stream, each independent of the others"
)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    /// 0: free.
    pub(crate) id: u32,
    /// We have not ended our side.
    pub(crate) is_sending: bool,
    /// The peer has not ended its side.
    pub(crate) is_receiving: bool,
    /// The head of the peer's message has come.
    pub(crate) has_head: bool,
    /// The reply has no body, whatever its head says.
    pub(crate) head_only: bool,
    pub(crate) interims: u8,
    /// Bytes of the body that must follow; `None`: any number. [`u64::MAX`]: too many came.
    pub(crate) left: Option<u64>,
    pub(crate) received: Received,
    /// The window for sending, as a difference to the peer's initial window.
    pub(crate) credit: i64,
}

impl Lane {
    /// Bytes that may be sent; negative after a smaller setting (§6.9.2).
    pub(crate) fn window(&self, initial: u32) -> i64 {
        i64::from(initial) + self.credit
    }

    /// True if the body does not have the length that its head says.
    pub(crate) fn is_short(&self) -> bool {
        self.left.is_some_and(|left| left > 0)
    }

    /// Adds to the window. Returns false if it exceeds 2^31 - 1.
    pub(crate) fn widen(&mut self, increment: u32, initial: u32) -> bool {
        self.credit += i64::from(increment);
        self.window(initial) <= i64::from(MOST_WINDOW)
    }
}

#[derive(Debug)]
pub(crate) struct Streams {
    lanes: Vec<Lane>,
    free: Vec<u32>,
    /// At the hash of an id, or behind: its lane plus one. 0 ends the search.
    index: Box<[u32]>,
    most: u32,
}

impl Streams {
    /// Room for `most` open streams.
    pub(crate) fn new(most: u32) -> Self {
        let places = (most as usize * 2).next_power_of_two().max(2);
        Self {
            lanes: Vec::new(),
            free: Vec::new(),
            index: vec![0; places].into(),
            most,
        }
    }

    /// Forgets all streams; keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.lanes.clear();
        self.free.clear();
        self.index.fill(0);
    }

    /// Number of open streams.
    pub(crate) fn open(&self) -> u32 {
        (self.lanes.len() - self.free.len()) as u32
    }

    pub(crate) fn is_full(&self) -> bool {
        self.open() >= self.most
    }

    /// The open streams, in the order of their lanes.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Stream, &Lane)> {
        let numbered = (0..).zip(&self.lanes);
        let open = numbered.filter(|(_, state)| state.id > 0);
        open.map(|(lane, state)| (Stream { id: state.id, lane }, state))
    }

    #[inline]
    pub(crate) fn find(&self, id: u32) -> Option<Stream> {
        let mask = self.index.len() - 1;
        let mut place = id as usize >> 1 & mask;
        loop {
            let lane = self.index[place].checked_sub(1)?;
            if self.lanes[lane as usize].id == id {
                return Some(Stream { id, lane });
            }
            place = (place + 1) & mask;
        }
    }

    #[inline]
    pub(crate) fn get(&mut self, stream: Stream) -> Option<&mut Lane> {
        let lane = self.lanes.get_mut(stream.lane as usize)?;
        (lane.id == stream.id).then_some(lane)
    }

    /// Opens a stream, unless all lanes are taken.
    #[inline]
    pub(crate) fn insert(&mut self, state: Lane) -> Option<Stream> {
        if self.is_full() {
            return None;
        }
        let lane = if let Some(lane) = self.free.pop() {
            self.lanes[lane as usize] = state;
            lane
        } else {
            self.lanes.push(state);
            self.lanes.len() as u32 - 1
        };
        let mask = self.index.len() - 1;
        let mut place = state.id as usize >> 1 & mask;
        while self.index[place] > 0 {
            place = (place + 1) & mask;
        }
        self.index[place] = lane + 1;
        Some(Stream { id: state.id, lane })
    }

    /// Closes a stream, and moves those behind it in the table to where they are found.
    #[inline]
    pub(crate) fn remove(&mut self, stream: Stream) {
        if self.get(stream).is_none() {
            return;
        }
        let mask = self.index.len() - 1;
        let mut gap = stream.id as usize >> 1 & mask;
        while self.index[gap] != stream.lane + 1 {
            gap = (gap + 1) & mask;
        }
        let mut place = gap;
        loop {
            place = (place + 1) & mask;
            let Some(lane) = self.index[place].checked_sub(1) else {
                break;
            };
            let home = self.lanes[lane as usize].id as usize >> 1 & mask;
            let distance = |from: usize, to: usize| to.wrapping_sub(from) & mask;
            if distance(home, place) >= distance(gap, place) {
                self.index[gap] = self.index[place];
                gap = place;
            }
        }
        self.index[gap] = 0;
        self.lanes[stream.lane as usize].id = 0;
        self.free.push(stream.lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    #[cfg_attr(miri, ignore = "an hour in an interpreter")]
    fn streams_are_found_until_they_are_removed_in_any_order() {
        for most in [1_u32, 2, 3, 7, 100] {
            let mut streams = Streams::new(most);
            let mut open = HashMap::new();
            let (mut id, mut seed, mut gone) = (1, 1_u32, Vec::new());
            for _ in 0..20_000 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let is_full = open.len() as u32 == most;
                if is_full || !open.is_empty() && seed >> 31 == 0 {
                    let keys: Vec<u32> = open.keys().copied().collect();
                    let key = keys[(seed >> 8) as usize % keys.len()];
                    // The first stream lives longest, so that ids far apart are open.
                    if key > 1 || is_full {
                        let stream = open.remove(&key).expect("an open stream");
                        streams.remove(stream);
                        assert_eq!(streams.find(key), None);
                        gone.push(stream);
                    }
                } else {
                    let lane = Lane {
                        id,
                        ..Lane::default()
                    };
                    let stream = streams.insert(lane).expect("a free lane");
                    assert!(stream.lane < most);
                    open.insert(id, stream);
                    id += 2;
                }
                // Its lane may be of another stream, which stays.
                for stream in &gone {
                    streams.remove(*stream);
                }
                gone.truncate(10);
                assert_eq!(streams.open() as usize, open.len());
                for (key, stream) in &open {
                    assert_eq!(streams.find(*key), Some(*stream));
                }
            }
            assert!(streams.lanes.len() as u32 <= most);
        }
    }
}
