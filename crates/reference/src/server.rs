//! A running server: start, address, counters, stop.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use driver::{Waker, make_room_for_descriptors, pin_thread, set_exact_timers};

use crate::address::Listen;
use crate::config::{Config, MAX_THREADS};
use crate::error::ReferenceError;
use crate::reply::page::Site;

mod connection;
mod http2;
mod input;
mod listener;
mod outbox;
mod schedule;
mod stall;
mod state;
mod timers;
mod worker;

use state::{RequestCounter, SharedState, ThreadState, TimeLog};
use worker::Worker;

/// Size of the descriptor table, allocated before the first connection.
const ROOM: u64 = 1 << 16;

/// A server that runs from [`start`](Server::start) until it is dropped.
pub struct Server {
    address: Listen,
    shared: Arc<SharedState>,
    threads: Vec<Thread>,
}

struct Thread {
    handle: Option<JoinHandle<()>>,
    waker: Arc<Waker>,
    count: Arc<RequestCounter>,
    delays: Arc<TimeLog>,
    arrivals: Option<Arc<TimeLog>>,
}

impl Server {
    /// Starts a server. When this returns, it listens and answers.
    pub fn start(mut config: Config) -> Result<Self, ReferenceError> {
        check(&config)?;
        make_room_for_descriptors(ROOM);
        let site = Site::new(std::mem::take(&mut config.pages))?;
        let (listeners, address) = listener::open(&config.listen, config.threads)?;
        // A failure from here on drops the server, which stops the threads already started.
        let mut server = Self {
            address,
            shared: Arc::new(SharedState::new(site, config.stall)),
            threads: Vec::new(),
        };
        let (ready, started) = channel();
        for listener in listeners {
            let thread = server.start_thread(&config, listener, ready.clone())?;
            server.threads.push(thread);
        }
        drop(ready);
        started
            .into_iter()
            .collect::<Result<(), ReferenceError>>()?;
        Ok(server)
    }

    /// Starts the next thread.
    fn start_thread(
        &self,
        config: &Config,
        listener: OwnedFd,
        ready: Sender<Result<(), ReferenceError>>,
    ) -> Result<Thread, ReferenceError> {
        let index = self.threads.len();
        let mut thread = Thread {
            handle: None,
            waker: Arc::new(Waker::new().map_err(ReferenceError::Thread)?),
            count: Arc::default(),
            delays: Arc::default(),
            arrivals: config.keep_arrivals.then(|| Arc::new(TimeLog::with_room())),
        };
        let state = ThreadState::new(
            Arc::clone(&self.shared),
            Arc::clone(&thread.count),
            Arc::clone(&thread.delays),
            thread.arrivals.clone(),
            config.seed,
            index,
        );
        let cpu = config.cpus.as_ref().map(|cpus| cpus[index % cpus.len()]);
        let waker = Arc::clone(&thread.waker);
        let handle = Builder::new()
            .name(format!("reference-{index}"))
            .spawn(move || serve(cpu, || Worker::new(listener, waker, state), ready))
            .map_err(ReferenceError::Thread)?;
        thread.handle = Some(handle);
        Ok(thread)
    }

    /// `127.0.0.1:41231` or `unix:PATH`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Number of requests read so far, answered or not.
    pub fn requests(&self) -> u64 {
        self.threads.iter().map(|thread| thread.count.get()).sum()
    }

    /// The time that each delayed reply since the last call was really held, from reading its request to sending it.
    /// In nanoseconds. The ground truth for the latency that a client measures.
    pub fn take_delays(&self) -> Vec<u64> {
        let each = self.threads.iter().map(|thread| thread.delays.take());
        each.flatten().collect()
    }

    /// When each request since the last call was read, ns since the start, thread by thread. Empty without
    /// [`Config::keep_arrivals`].
    pub fn take_arrivals(&self) -> Vec<u64> {
        let each = self.threads.iter().flat_map(|thread| &thread.arrivals);
        each.flat_map(|arrivals| arrivals.take()).collect()
    }

    /// Stops the threads and closes all connections.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        for thread in &mut self.threads {
            // Fails only when the descriptor is closed: then the thread has ended.
            let _ = thread.waker.wake();
            if let Some(handle) = &thread.handle {
                handle.thread().unpark();
            }
        }
        for thread in &mut self.threads {
            let _ = thread.handle.take().map(JoinHandle::join);
        }
        if let Listen::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn check(config: &Config) -> Result<(), ReferenceError> {
    if !(1..=MAX_THREADS).contains(&config.threads) {
        return Err(ReferenceError::Threads(config.threads, MAX_THREADS));
    }
    if config.cpus.as_ref().is_some_and(Vec::is_empty) {
        return Err(ReferenceError::NoCpus);
    }
    Ok(())
}

/// Runs one thread. `ready` receives once whether it could start.
fn serve(
    cpu: Option<usize>,
    worker: impl FnOnce() -> io::Result<Worker>,
    ready: Sender<Result<(), ReferenceError>>,
) {
    let pinned = cpu.map_or(Ok(()), |cpu| {
        pin_thread(cpu).map_err(|error| ReferenceError::Cpu(cpu, error))
    });
    let worker = pinned.and_then(|()| {
        set_exact_timers()
            .and_then(|()| worker())
            .map_err(ReferenceError::Thread)
    });
    let (started, worker) = match worker {
        Ok(worker) => (Ok(()), Some(worker)),
        Err(error) => (Err(error), None),
    };
    // The receiver is gone when another thread failed first.
    let _ = ready.send(started);
    // `start` waits until all senders are dropped.
    drop(ready);
    if let Some(worker) = worker {
        // Fails only when the poller does, which is a bug: the connections of this thread are then closed.
        let _ = worker.run();
    }
}
