//! Settings (RFC 9113 §6.5): what each side allows the other.

use crate::h2::fault::Fault;
use crate::h2::frame::{LEAST_MAX_FRAME, MOST_WINDOW};

pub(crate) const HEADER_TABLE_SIZE: u16 = 1;
pub(crate) const ENABLE_PUSH: u16 = 2;
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
pub(crate) const MAX_FRAME_SIZE: u16 = 5;
pub(crate) const MAX_HEADER_LIST_SIZE: u16 = 6;

/// The window of each stream and of the connection before any setting.
pub(crate) const INITIAL_WINDOW: u32 = 65_535;
/// The largest setting of a frame's size.
const MOST_FRAME: u32 = (1 << 24) - 1;

/// The settings of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `SETTINGS_HEADER_TABLE_SIZE`: bytes of the table that its decoder keeps.
    pub header_table: u32,
    /// `SETTINGS_MAX_CONCURRENT_STREAMS`: streams that we may open at once.
    pub max_streams: u32,
    /// `SETTINGS_INITIAL_WINDOW_SIZE`: bytes that we may send on a new stream.
    pub initial_window: u32,
    /// `SETTINGS_MAX_FRAME_SIZE`: bytes of payload that it accepts.
    pub max_frame: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            header_table: 4096,
            max_streams: u32::MAX,
            initial_window: INITIAL_WINDOW,
            max_frame: LEAST_MAX_FRAME,
        }
    }
}

impl Settings {
    /// Applies the payload of a SETTINGS frame. Of a setting that occurs several times, the last value counts.
    pub(crate) fn apply(&mut self, payload: &[u8]) -> Result<(), Fault> {
        for setting in payload.chunks_exact(6) {
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            match u16::from_be_bytes([setting[0], setting[1]]) {
                HEADER_TABLE_SIZE => self.header_table = value,
                ENABLE_PUSH if value > 1 => {
                    return Err(Fault::Protocol("SETTINGS_ENABLE_PUSH is neither 0 nor 1"));
                }
                MAX_CONCURRENT_STREAMS => self.max_streams = value,
                INITIAL_WINDOW_SIZE if value > MOST_WINDOW => {
                    return Err(Fault::FlowControl(
                        "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1",
                    ));
                }
                INITIAL_WINDOW_SIZE => self.initial_window = value,
                MAX_FRAME_SIZE if !(LEAST_MAX_FRAME..=MOST_FRAME).contains(&value) => {
                    return Err(Fault::Protocol(
                        "SETTINGS_MAX_FRAME_SIZE is not from 2^14 to 2^24 - 1",
                    ));
                }
                MAX_FRAME_SIZE => self.max_frame = value,
                // The list size is a hint; unknown settings are ignored.
                _ => {}
            }
        }
        Ok(())
    }
}
