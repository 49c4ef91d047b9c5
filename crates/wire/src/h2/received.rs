//! The bytes received in a window (RFC 9113 §6.9): when it is to be widened, and when the peer had to wait for that.

/// The bytes received in the window of a stream, or in that of the connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// Since the window was widened last.
    bytes: u32,
    /// Bytes until the limit that held before that. The peer may not know of a later one yet.
    left: u32,
    /// It was widened twice, so the first limit is behind.
    is_later: bool,
    is_widened: bool,
}

impl Received {
    /// Counts a payload.
    #[inline]
    pub(crate) fn add(&mut self, length: u32) {
        self.bytes += length;
    }

    /// True if more came than `most`.
    #[inline]
    pub(crate) fn exceeds(&self, most: u32) -> bool {
        self.bytes > most
    }

    /// True if the payload that was counted last ends exactly where the window does: the peer had more, and waits. The first
    /// window may be a multiple of the peer's frames, by chance.
    #[inline]
    pub(crate) fn is_used_up(&mut self, length: u32, window: u32) -> bool {
        let is_at_limit = length > 0 && (self.bytes == window || self.left == length);
        self.left = self.left.saturating_sub(length);
        is_at_limit && (self.is_later || !window.is_multiple_of(length))
    }

    /// The bytes by which the window is to be widened, once half of it is used. One byte less than came, so that its later
    /// limits are no multiple of the peer's frames.
    #[inline]
    pub(crate) fn widen(&mut self, window: u32) -> Option<u32> {
        if self.bytes < window / 2 || self.bytes == 0 {
            return None;
        }
        let kept = u32::from(self.bytes > 1);
        self.left = window.saturating_sub(self.bytes);
        (self.is_later, self.is_widened) = (self.is_widened, true);
        Some(std::mem::replace(&mut self.bytes, kept) - kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames that use up the window, out of those of a peer that sends `body` bytes in frames of at most `frame`. It
    /// knows each update after `delay` more frames, or at once when it has to wait.
    fn used_up(window: u32, frame: u32, body: u32, delay: usize) -> (u32, u32) {
        let (mut received, mut limit, mut sent) = (Received::default(), window, 0);
        let (mut updates, mut found, mut waits) = (Vec::<u32>::new(), 0, 0);
        while sent < body {
            while updates.len() > delay || limit == sent {
                assert!(
                    !updates.is_empty(),
                    "{window} {frame}: the peer waits for ever"
                );
                waits += u32::from(limit == sent);
                limit += updates.remove(0);
            }
            let length = frame.min(limit - sent).min(body - sent);
            sent += length;
            received.add(length);
            assert!(!received.exceeds(window));
            found += u32::from(received.is_used_up(length, window) && sent < body);
            updates.extend(received.widen(window));
        }
        (found, waits)
    }

    #[test]
    fn a_peer_that_waits_is_noticed_and_one_that_does_not_is_not() {
        for window in [65_535, 65_536, 20_000, 1 << 20] {
            for frame in [1_000, 8_192, 16_384] {
                let body = 20 * window;
                let (found, waits) = used_up(window, frame, body, 0);
                assert_eq!(
                    (found, waits),
                    (0, 0),
                    "{window} {frame}: updates come at once"
                );
                let (found, waits) = used_up(window, frame, body, 10_000);
                assert!(
                    waits > 10 && found.abs_diff(waits) <= 1,
                    "{window} {frame}: {found} {waits}"
                );
            }
        }
    }

    #[test]
    fn the_smallest_windows_are_widened_too() {
        for window in 1..9 {
            used_up(window, 16_384, 1_000, 10_000);
        }
    }
}
