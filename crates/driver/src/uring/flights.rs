//! Sends of bytes that are not in the script. The kernel reads them until their completion comes, also after the
//! connection was closed, so they are kept here by a number of their own and not with the connection.

use std::os::fd::RawFd;

use io_uring::types::Fd;
use io_uring::{opcode, squeue};

use super::tags::flight_tag;
use super::{SHORT_SEND, Uring};
use crate::Fault;
use crate::driver::{Event, What};

/// No flight is under way.
pub const GROUNDED: u32 = u32::MAX;

/// All sends of bytes under way, and emptied buffers for more.
#[derive(Default)]
pub struct Flights {
    flights: Vec<Flight>,
    free: Vec<u32>,
}

/// One send under way. Its number may be given to another once it has landed.
#[derive(Default)]
struct Flight {
    slot: u32,
    generation: u32,
    bytes: Vec<u8>,
    /// How many of them the kernel has taken.
    sent: usize,
    /// What is to follow on the same connection.
    next: Vec<u8>,
}

impl Flights {
    /// Takes bytes for a connection, and leaves an empty buffer in their place; the number of the flight.
    fn board(&mut self, slot: u32, generation: u32, bytes: &mut Vec<u8>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.flights.push(Flight::default());
            self.flights.len() as u32 - 1
        });
        let flight = &mut self.flights[number as usize];
        (flight.slot, flight.generation, flight.sent) = (slot, generation, 0);
        std::mem::swap(&mut flight.bytes, bytes);
        number
    }

    /// The kernel took `count` bytes more; whether there are others to be sent.
    fn advance(&mut self, number: u32, count: usize) -> bool {
        let flight = &mut self.flights[number as usize];
        flight.sent += count;
        if flight.sent == flight.bytes.len() {
            flight.bytes.clear();
            flight.sent = 0;
            std::mem::swap(&mut flight.bytes, &mut flight.next);
        }
        !flight.bytes.is_empty()
    }

    /// The kernel is done with a flight's bytes.
    fn land(&mut self, number: u32) {
        let flight = &mut self.flights[number as usize];
        flight.bytes.clear();
        flight.next.clear();
        self.free.push(number);
    }

    fn entry(&self, number: u32, fd: RawFd) -> squeue::Entry {
        let flight = &self.flights[number as usize];
        let left = &flight.bytes[flight.sent..];
        opcode::Send::new(Fd(fd), left.as_ptr(), left.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(flight_tag(number))
    }

    fn is_short(&self, number: u32) -> bool {
        let flight = &self.flights[number as usize];
        flight.bytes.len() - flight.sent <= SHORT_SEND
    }
}

impl Uring {
    pub(super) fn send_flight(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        let state = &mut self.slots[slot as usize];
        if state.flight == GROUNDED {
            state.flight = self.flights.board(slot, state.generation, bytes);
            self.fly(slot);
            return;
        }
        self.flights.flights[state.flight as usize]
            .next
            .append(bytes);
        state.sending = true;
    }

    /// Submits what is left of a slot's flight.
    fn fly(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        state.sending |= !self.flights.is_short(state.flight);
        let entry = self.flights.entry(state.flight, state.fd);
        self.push(&entry);
    }

    /// What the completion of a flight means: nothing when its connection was closed meanwhile.
    pub(super) fn landed(&mut self, number: u32, result: i32) -> Option<Event> {
        let flight = &self.flights.flights[number as usize];
        let (slot, generation) = (flight.slot, flight.generation);
        let state = &mut self.slots[slot as usize];
        if state.generation != generation {
            self.flights.land(number);
            return None;
        }
        if result >= 0 && self.flights.advance(number, result as usize) {
            self.fly(slot);
            return None;
        }
        self.flights.land(number);
        state.flight = GROUNDED;
        let told = std::mem::take(&mut state.sending);
        let what = match result {
            0.. => told.then_some(What::Sent)?,
            failure => What::Failed(Fault::from_errno(-failure)),
        };
        Some(Event { slot, what })
    }
}
