//! One thread of a run: release what is due, wait, take what happened, until both edges of stopping are reached.

use std::io;
use std::sync::Arc;

use driver::{Driver, NEVER, Nanos, Route, Scene, Simulated, ThreadUsage, thread_usage};

use crate::ledger::Ledger;
use crate::load::{Shape, Share};
use crate::order::Order;
use crate::pool::Pool;
use crate::progress::{Board, Glimpse, Phase};
use crate::usage::Usage;
use crate::window::Window;

/// How often a worker looks whether it is asked to stop, and shows where it is: 100 ms.
const LOOK: Nanos = 100_000_000;
/// Events taken before deadlines and edges are looked at again: a server that never stops sending must not keep the
/// thread from them.
const EVENTS_A_TURN: usize = 1024;
/// With `spin`, the processor is kept while a reply is out, and from this long before a due time on: 100 µs.
const SPIN: Nanos = 100_000;
/// How often a worker shows its books, where a percentile's precision may end the run: 1 s.
const SHOW: Nanos = 1_000_000_000;
/// When it does so first: once there are as many whole seconds as precision takes.
const FIRST_SHOW: Nanos = 5 * SHOW;

/// One thread's part of a run.
pub struct Worker<D> {
    pool: Pool<D>,
    shape: Shape,
    board: Arc<Board>,
    number: usize,
    spin: bool,
    next_look: Nanos,
    next_show: Nanos,
    measuring_since: Option<(Nanos, ThreadUsage)>,
    stopped: bool,
}

impl<D: Driver> Worker<D> {
    /// A worker that begins at `window.begin`.
    pub fn new(
        driver: D,
        order: &Arc<Order>,
        routes: Arc<[Route]>,
        window: Window,
        share: Share,
        most_open: u32,
        board: Arc<Board>,
    ) -> Self {
        let mut pool = Pool::new(driver, Arc::clone(order), routes, window);
        if let Some(rate) = order.arrivals_per_s() {
            let evidence = &mut pool.books.ledger.evidence;
            evidence.expect(rate / f64::from(share.threads));
        }
        Self {
            pool,
            shape: Shape::new(order, share, window.begin, most_open),
            board,
            number: share.thread as usize,
            spin: order.spin,
            next_look: 0,
            next_show: window.start + FIRST_SHOW,
            measuring_since: None,
            stopped: false,
        }
    }

    /// Works until the run is over, and hands over the books.
    ///
    /// # Errors
    /// When the driver fails as a whole.
    pub fn run(mut self) -> io::Result<Ledger> {
        while !self.turn()? {}
        self.finish();
        Ok(self.pool.books.ledger)
    }

    /// One round; true when it was the last.
    fn turn(&mut self) -> io::Result<bool> {
        let now = self.pool.tick();
        self.pass_edges(now);
        if !self.stopped {
            self.shape.release(&mut self.pool);
            self.settle();
        }
        if self.over(now) {
            return Ok(true);
        }
        self.pool.wait(self.wake())?;
        for _ in 0..EVENTS_A_TURN {
            let Some(event) = self.pool.driver.next() else {
                break;
            };
            self.pool.on_event(event);
            self.settle();
        }
        while self.pool.expire() {
            self.settle();
        }
        Ok(false)
    }

    /// Lets the load decide what the freed connections do next.
    fn settle(&mut self) {
        while let Some(freed) = self.pool.next_freed() {
            self.shape.freed(freed, &mut self.pool);
        }
    }

    fn pass_edges(&mut self, now: Nanos) {
        let window = *self.pool.window();
        if self.measuring_since.is_none() && now >= window.start {
            self.measuring_since = Some((now, thread_usage()));
            self.board.reach(Phase::Measuring);
        } else if self.measuring_since.is_none() {
            self.board.reach(Phase::WarmUp);
        }
        if now >= self.next_look {
            self.next_look = now + LOOK;
            self.look(now);
        }
        if !self.stopped && now >= self.pool.window().stop {
            self.stop(now);
        }
    }

    fn look(&mut self, now: Nanos) {
        let order = Arc::clone(&self.pool.books.order);
        match self.board.stops() {
            0 if !self.board.precision.reached() => {}
            0 | 1 => self.pool.books.ledger.window.end(now, order.drain),
            _ => self.pool.books.ledger.window.end(now, 0),
        }
        let ledger = &self.pool.books.ledger;
        let (ok, p50_ns, p99_ns) = ledger.intervals.last_second(ledger.window.second(now) - 1);
        let glimpse = Glimpse {
            calls: ledger.calls.clone(),
            in_flight: ledger.in_flight(),
            open_connections: ledger.connections.open,
            rate_per_s: ok as f64,
            p50_ns,
            p99_ns,
            lag_p99_ns: ledger.lag.quantile(0.99),
        };
        self.board.show(self.number, glimpse);
        if order.until.is_some() && now >= self.next_show {
            self.next_show = now + SHOW;
            self.board.precision.show(self.number, ledger);
        }
    }

    /// The first edge: no new work.
    fn stop(&mut self, now: Nanos) {
        self.stopped = true;
        self.shape.stop(&mut self.pool);
        self.pool.books.ledger.all_due = self.shape.all_due();
        self.close_usage(now);
        self.board.reach(Phase::Draining);
    }

    fn close_usage(&mut self, now: Nanos) {
        if let Some((since, usage)) = self.measuring_since.take() {
            let elapsed = now.saturating_sub(since);
            self.pool.books.ledger.usage = Usage::between(&usage, &thread_usage(), elapsed);
            self.measuring_since = Some((since, usage));
        }
    }

    /// Whether there is nothing more to wait for.
    fn over(&mut self, now: Nanos) -> bool {
        let idle = self.pool.books.ledger.in_flight() == 0;
        let exhausted = self.stopped || self.shape.exhausted();
        if exhausted && !idle && self.pool.books.order.reply_timeout.is_none() {
            // Without a timeout of their own, the last calls of a counted run get the drain time.
            let drain = self.pool.books.order.drain;
            let window = &mut self.pool.books.ledger.window;
            window.give_up = window.give_up.min(now + drain);
        }
        exhausted && (idle || now >= self.pool.window().give_up)
    }

    /// When there is something to do, if nothing happens before.
    fn wake(&self) -> Nanos {
        let window = self.pool.window();
        let now = self.pool.now();
        let (due, edge) = if self.stopped {
            (NEVER, window.give_up)
        } else {
            (self.shape.next_due(), window.stop)
        };
        let start = if self.measuring_since.is_none() {
            window.start
        } else {
            NEVER
        };
        let wake = due
            .min(edge)
            .min(start)
            .min(window.give_up)
            .min(self.pool.next_deadline())
            .min(now + LOOK);
        if !self.spin {
            return wake;
        }
        if self.pool.books.ledger.in_flight() > 0 || wake <= now + SPIN {
            now
        } else {
            wake - SPIN
        }
    }

    fn finish(&mut self) {
        let now = self.pool.tick();
        if !self.stopped {
            // A counted run ends with its last reply.
            let ledger = &mut self.pool.books.ledger;
            let end = ledger.last_end.max(ledger.window.start);
            ledger.window.stop = ledger.window.stop.min(end.max(ledger.window.start + 1));
            ledger.counted_out = true;
            self.close_usage(now);
        }
        self.pool.finish();
        self.board.reach(Phase::Draining);
        self.look(now);
    }
}

/// Runs an order against a simulated server, in virtual time, on the calling thread.
///
/// # Errors
/// Never: the simulated driver does not fail.
pub fn simulate<S: Scene + Clone>(order: Order, scene: S) -> io::Result<(Ledger, S)> {
    let order = Arc::new(order);
    let driver = Simulated::new(order.cycle.script(), scene);
    let route = Route::tcp(([127, 0, 0, 1], 80).into(), None);
    let window = Window::new(0, order.warm_up, order.duration, order.drain);
    let share = Share {
        thread: 0,
        threads: 1,
    };
    let most_open = order.connections().unwrap_or(1000);
    let board = Arc::new(Board::new(1));
    let mut worker = Worker::new(
        driver,
        &order,
        Arc::from([route]),
        window,
        share,
        most_open,
        board,
    );
    while !worker.turn()? {}
    worker.finish();
    let scene = worker.pool.driver.scene().clone();
    Ok((worker.pool.books.ledger, scene))
}
