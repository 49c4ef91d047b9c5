//! Schedules, timeouts and counts, proved in virtual time against simulated servers: nothing sleeps, all is exact.

mod books;
mod errors;
mod schedules;
mod server;
mod stall;
