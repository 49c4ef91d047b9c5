//! Bodies that are judged as a whole, when they are complete.

use std::sync::Arc;

use answer::MOST_BYTES;

use crate::connection::check::body::BodyCheck;
use crate::plan::expected::{Content, Room};

/// The content of a body so far.
#[derive(Debug)]
pub struct Kept {
    bytes: Vec<u8>,
    room: Arc<Room>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.give(self.bytes.len());
    }
}

/// Keeps more bytes of a body. Without room it is left out of the check.
#[inline(never)]
pub fn feed(content: &Content, check: &mut BodyCheck, data: &[u8]) {
    let kept = check.kept.get_or_insert_with(|| {
        let (bytes, room) = (Vec::new(), content.room.clone());
        Kept { bytes, room }.into()
    });
    if kept.bytes.len() + data.len() > MOST_BYTES {
        check.kept = None;
        check.differs(answer::too_long());
    } else if content.room.take(data.len()) {
        kept.bytes.extend_from_slice(data);
    } else {
        check.kept = None;
        check.compare = false;
    }
}

/// Ends a body; true if it is right. One that is not compared is right unless it is empty or too long.
pub fn end(content: &Content, check: &mut BodyCheck) -> bool {
    if check.wrong {
        return false;
    }
    let kept = check.kept.take();
    let fault = if check.compare || check.content == 0 {
        let bytes = kept.as_deref().map_or(&[][..], |kept| &kept.bytes);
        content.answer.fault(bytes)
    } else {
        (check.content > MOST_BYTES as u64).then(answer::too_long)
    };
    if let Some(words) = fault {
        check.differs(words);
    }
    !check.wrong
}
