//! Bodies that are judged as a whole, when they are complete.

use std::sync::Arc;

use answer::MOST_BYTES;

use crate::plan::expected::{Content, Room};

/// The content of a body so far.
#[derive(Debug)]
pub struct Kept {
    bytes: Vec<u8>,
    room: Arc<Room>,
}

/// The end of a body that is not kept any longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Left {
    TooLong,
    /// There is no room for it.
    Crowded,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.give(self.bytes.len());
    }
}

impl Kept {
    /// Nothing of a body.
    pub fn new(content: &Content) -> Self {
        let (bytes, room) = (Vec::new(), content.room.clone());
        Self { bytes, room }
    }

    /// Keeps more bytes.
    pub fn feed(&mut self, data: &[u8]) -> Result<(), Left> {
        if self.bytes.len() + data.len() > MOST_BYTES {
            return Err(Left::TooLong);
        }
        if !self.room.take(data.len()) {
            return Err(Left::Crowded);
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
