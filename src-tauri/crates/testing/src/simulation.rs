//! A test driver with one thread and virtual time. A seed determines the order of simultaneous events.
//!
//! Time advances only when nothing else can run, and not during a computation on a thread. Nothing is written to disk: a
//! record counts as written when the session commands it, and a simulated kill keeps the records up to then.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    mem,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use futures::{
    FutureExt as _,
    channel::oneshot,
    future::{BoxFuture, poll_fn},
};
use loopwright_engine::{
    Answer, Event, EventBody, RunStatus, computations_under_way,
    event::project,
    journal::{Record, RunState},
    session::{
        AnswerRequest, Begun, Command, Ended, Progress, Recorded, Resumption, Session,
        SessionInput, Slept, Timer, World,
    },
};

use crate::{BEGAN, Begin, Done, Host, PAUSE, RUN, Sleep, Stop, chance::Chance, plans};

/// The longest duration of a test's run, in virtual milliseconds.
const LONGEST: u64 = 30 * 24 * 3_600_000;

/// A host in virtual time.
#[derive(Default)]
pub struct Simulation {
    clock: Arc<Clock>,
    seed: Option<u64>,
    kill_after: Option<usize>,
    /// The virtual milliseconds after which the computer sleeps, and the duration of the sleep in milliseconds.
    sleeps: Option<(u64, u64)>,
}

impl Simulation {
    /// Returns a host that processes simultaneous events in the order in which they started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a host that processes simultaneous events in an order determined by the seed.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..Self::default()
        }
    }

    /// Returns a host that continues at the virtual time of this one, and is not killed.
    #[must_use]
    pub fn revived(&self) -> Self {
        Self {
            clock: Arc::clone(&self.clock),
            seed: self.seed,
            kill_after: None,
            sleeps: None,
        }
    }

    /// Makes the computer sleep for `ms` milliseconds once the run has taken `after_ms`. During the sleep, calls, timers and
    /// virtual time are stopped, while the wall clock advances.
    #[must_use]
    pub fn sleeping(self, after_ms: u64, ms: u64) -> Self {
        Self {
            sleeps: Some((after_ms, ms)),
            ..self
        }
    }

    /// Kills the host after it has written this many records.
    #[must_use]
    pub fn killed_after(self, records: usize) -> Self {
        Self {
            kill_after: Some(records),
            ..self
        }
    }
}

/// The virtual time and the wakers of sleeping futures.
#[derive(Default)]
struct Clock(Mutex<Sleepers>);

#[derive(Default)]
struct Sleepers {
    now: u64,
    asleep: BTreeMap<(u64, u64), Waker>,
    next: u64,
}

impl Clock {
    fn now(&self) -> u64 {
        self.0.lock().unwrap().now
    }

    /// Returns the time at which the first sleeper wakes; `None` if nothing sleeps.
    fn next(&self) -> Option<u64> {
        let sleepers = self.0.lock().unwrap();
        sleepers.asleep.keys().next().map(|&(until, _)| until)
    }

    fn advance(&self, to: u64) {
        let mut sleepers = self.0.lock().unwrap();
        sleepers.now = sleepers.now.max(to);
        let later = sleepers.asleep.split_off(&(to + 1, 0));
        let awake = mem::replace(&mut sleepers.asleep, later);
        drop(sleepers);
        awake.into_values().for_each(Waker::wake);
    }

    fn sleep(self: Arc<Self>, duration: Duration) -> BoxFuture<'static, ()> {
        let mut place: Option<(u64, u64)> = None;
        poll_fn(move |context| {
            let mut sleepers = self.0.lock().unwrap();
            let place = *place.get_or_insert_with(|| {
                let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                sleepers.next += 1;
                (sleepers.now.saturating_add(millis), sleepers.next)
            });
            if sleepers.now >= place.0 {
                return Poll::Ready(());
            }
            sleepers.asleep.insert(place, context.waker().clone());
            Poll::Pending
        })
        .boxed()
    }
}

/// Whether a pending future must be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Host for Simulation {
    fn sleep(&self) -> Sleep {
        let clock = Arc::clone(&self.clock);
        Arc::new(move |duration| Arc::clone(&clock).sleep(duration))
    }

    fn run(&self, begin: Begin<'_>) -> Done {
        let records = begin.records.unwrap_or_default().to_vec();
        let from = records.last().map_or(BEGAN, |last| last.at + PAUSE);
        let began = self.clock.now();
        let mut driver = Driver {
            host: self,
            begin,
            wall: from - i64::try_from(began).unwrap(),
            began,
            woken: Arc::default(),
            under_way: Vec::new(),
            ready: VecDeque::new(),
            timers: BTreeSet::new(),
            records,
            events: Vec::new(),
            stops: false,
            has_stopped: false,
            sleeps: self.sleeps,
            chance: self.seed.map(Chance::new),
        };
        let state = driver.run_to_the_end();
        Done {
            state,
            took_ms: self.clock.now() - began,
            records: driver.records,
            events: driver.events,
        }
    }
}

struct Driver<'a> {
    host: &'a Simulation,
    begin: Begin<'a>,
    /// The wall clock's value at virtual time 0.
    wall: i64,
    began: u64,
    woken: Arc<Woken>,
    under_way: Vec<BoxFuture<'static, Ended>>,
    /// Inputs that are not yet passed to the session.
    ready: VecDeque<SessionInput>,
    timers: BTreeSet<(u64, Timer)>,
    records: Vec<Record>,
    events: Vec<Event>,
    /// Whether the next input is a person's request to stop the run.
    stops: bool,
    /// Whether a person has stopped the run.
    has_stopped: bool,
    /// The computer's future sleep, as in [`Simulation`].
    sleeps: Option<(u64, u64)>,
    chance: Option<Chance>,
}

impl Driver<'_> {
    fn wall(&self) -> i64 {
        self.wall + i64::try_from(self.host.clock.now()).unwrap()
    }

    fn world(&self) -> World {
        World {
            services: self.begin.services.clone(),
            approve: self.begin.people.approve.into(),
            time_to_allow_ms: None,
        }
    }

    /// Drives the run in sessions until it ends, or waits without an answer or an expiry. Returns the state of the run. Each
    /// session knows only the records of the previous ones.
    fn run_to_the_end(&mut self) -> RunState {
        let mut answer = None;
        let mut fresh = self.begin.records.is_none();
        loop {
            let mut commands = Vec::new();
            let mut session = if mem::take(&mut fresh) {
                let (plan, inputs) = (Arc::clone(self.begin.plan), self.begin.inputs.clone());
                let (world, wall) = (self.world(), self.wall());
                Session::start(plan, RUN, inputs, world, Vec::new(), wall, &mut commands)
            } else {
                self.resume(answer.take(), &mut commands)
            };
            let status = self.drive(&mut session, commands);
            self.under_way.clear();
            self.timers.clear();
            self.ready.clear();
            if status != Some(RunStatus::Waiting) {
                return session.state();
            }
            let expires_at = session.state().expires_at;
            let left = |at: i64| u64::try_from(at - self.wall()).unwrap_or(0);
            let expires = expires_at.map(|at| Duration::from_millis(left(at)));
            let Some((next, after)) =
                self.begin
                    .people
                    .continues(&self.records, self.wall(), expires)
            else {
                return session.state();
            };
            answer = next;
            let after = u64::try_from(after.as_millis()).unwrap();
            self.host.clock.advance(self.host.clock.now() + after);
        }
    }

    fn resume(&self, answer: Option<(String, Answer)>, commands: &mut Vec<Command>) -> Session {
        let plans = plans(self.begin.plan, &self.records);
        let recorded = Recorded {
            plans: &plans,
            run_id: RUN,
            inputs: self.begin.inputs.clone(),
            records: &self.records,
        };
        let how = Resumption {
            answer,
            ..Resumption::default()
        };
        Session::resume(recorded, how, self.world(), self.wall(), commands).unwrap()
    }

    /// Drives one session until it is over, suspended, or killed. Returns `None` if it was killed.
    fn drive(&mut self, session: &mut Session, commands: Vec<Command>) -> Option<RunStatus> {
        if !self.perform(commands) || !self.tell_ready(session) {
            return None;
        }
        loop {
            match session.progress() {
                Progress::Over(status) => return Some(status),
                Progress::Suspended(status) if !self.stops => return Some(status),
                Progress::Stuck if !self.stops => panic!("nothing is in progress"),
                _ => {}
            }
            for told in self.next(session) {
                self.ready.push_back(told);
                if !self.tell_ready(session) {
                    return None;
                }
            }
        }
    }

    /// Returns the next inputs of the session. If there are none, advances the time and returns an empty list.
    fn next(&mut self, session: &mut Session) -> Vec<SessionInput> {
        if mem::take(&mut self.stops) {
            self.has_stopped = true;
            return vec![SessionInput::Cancel];
        }
        if let Some(slept) = self.wake() {
            return vec![SessionInput::Slept(slept)];
        }
        let said = |session: &mut Session| session.next_message().now_or_never().flatten();
        if let Some(said) = said(session) {
            return vec![SessionInput::Message(said)];
        }
        if let Some((answer, 0)) = self.next_answer() {
            let ((path, answer), (receipt, _)) = (answer, oneshot::channel());
            return vec![SessionInput::Answer(AnswerRequest {
                path,
                answer,
                receipt,
            })];
        }
        if let Some(timer) = self.due(|timer| !matches!(timer, Timer::Attempt(_))) {
            return vec![SessionInput::Fired(timer)];
        }
        self.woken.0.store(false, Ordering::SeqCst);
        let ended = self.poll();
        if !ended.is_empty() {
            return ended;
        }
        if let Some(said) = said(session) {
            return vec![SessionInput::Message(said)];
        }
        if let Some(timer) = self.due(|timer| matches!(timer, Timer::Attempt(_))) {
            return vec![SessionInput::Fired(timer)];
        }
        if self.woken.0.load(Ordering::SeqCst) {
            return Vec::new();
        }
        if computations_under_way() > 0 {
            // The computations may belong to other tests, and their end does not wake this thread.
            thread::park_timeout(Duration::from_millis(1));
            return Vec::new();
        }
        self.stops = self.wait();
        Vec::new()
    }

    fn tell_ready(&mut self, session: &mut Session) -> bool {
        while !self.ready.is_empty() {
            let next = self.choose(self.ready.len());
            let Some(told) = self.ready.remove(next) else {
                break;
            };
            let mut commands = Vec::new();
            session.step(self.wall(), told, &mut commands);
            if !self.perform(commands) {
                return false;
            }
        }
        true
    }

    /// Executes commands. Returns `false` if the host is killed, otherwise `true`.
    fn perform(&mut self, commands: Vec<Command>) -> bool {
        for command in commands {
            match command {
                Command::Write(record) => {
                    if (self.host.kill_after).is_some_and(|most| self.records.len() >= most) {
                        return false;
                    }
                    self.publish(&record);
                    self.records.push(record);
                }
                Command::Execute(execution) => match execution.begin() {
                    Begun::Ended(ended) => self.ready.push_back(SessionInput::Ended(ended)),
                    Begun::UnderWay(future) => self.under_way.push(future),
                },
                Command::PermitCall(permit) => permit.give(),
                Command::ConfirmAnswer(accepted) => accepted.confirm(),
                Command::UseResource(work) => self.under_way.push(work),
                Command::Start { timer, after_ms } => {
                    self.timers.retain(|&(_, other)| other != timer);
                    let due = self.host.clock.now().saturating_add(after_ms);
                    self.timers.insert((due, timer));
                }
                Command::Stop { timer } => self.timers.retain(|&(_, other)| other != timer),
                Command::Hasten { timer, by_ms } => {
                    let hasten = |&(due, other): &(u64, Timer)| match other == timer {
                        true => (due.saturating_sub(by_ms), other),
                        false => (due, other),
                    };
                    self.timers = self.timers.iter().map(hasten).collect();
                }
            }
        }
        true
    }

    fn publish(&mut self, record: &Record) {
        let Some(event) = project(RUN, record) else {
            return;
        };
        let starts = matches!(event.body, EventBody::NodeStarted { .. });
        self.stops |= matches!(self.begin.stop, Stop::At(at) if *at == event.path && starts);
        self.events.push(event);
    }

    /// Removes and returns the first due timer that `counts` accepts, or `None` if there is none.
    fn due(&mut self, counts: impl Fn(Timer) -> bool) -> Option<Timer> {
        let now = self.host.clock.now();
        let mut due = self.timers.iter().take_while(|&&(due, _)| due <= now);
        let first = *due.find(|&&(_, timer)| counts(timer))?;
        self.timers.remove(&first);
        Some(first.1)
    }

    /// Returns the next answer that arrives while the run is in progress, with the milliseconds until then.
    fn next_answer(&self) -> Option<((String, Answer), u64)> {
        let people = &self.begin.people;
        people.next_while_active(&self.records, self.wall())
    }

    /// Makes the computer sleep if the time for this has come. Returns the sleep, or `None` if there was none.
    fn wake(&mut self) -> Option<Slept> {
        let (_, ms) = self
            .sleeps
            .take_if(|(after, _)| self.began + *after <= self.host.clock.now())?;
        self.wall += i64::try_from(ms).unwrap();
        Some(Slept {
            ms,
            message: "The computer slept.".to_owned(),
        })
    }

    /// Advances the time to the nearest event. Returns `true` if this event is a person who stops the run, otherwise
    /// `false`.
    fn wait(&mut self) -> bool {
        let clock = &self.host.clock;
        let stop = match *self.begin.stop {
            Stop::After(millis) => {
                let at = self.began + millis;
                (!self.has_stopped && at >= clock.now()).then_some(at)
            }
            Stop::Never | Stop::At(_) => None,
        };
        let timer = self.timers.first().map(|&(due, _)| due);
        let sleep = self.sleeps.map(|(after, _)| self.began + after);
        let answer = self.next_answer().map(|(_, left)| clock.now() + left);
        let next = [timer, clock.next(), stop, sleep, answer]
            .into_iter()
            .flatten()
            .min();
        let next = next.unwrap_or_else(|| panic!("the run hangs"));
        assert!(next - self.began < LONGEST, "the run hangs");
        clock.advance(next);
        stop == Some(next)
    }

    /// Polls the futures in progress. Returns those that ended, in an order determined by the seed.
    fn poll(&mut self) -> Vec<SessionInput> {
        let waker = Waker::from(Arc::clone(&self.woken));
        let mut context = Context::from_waker(&waker);
        let mut ended = Vec::new();
        self.under_way
            .retain_mut(|future| match Pin::new(future).poll(&mut context) {
                Poll::Ready(end) => {
                    ended.push(SessionInput::Ended(end));
                    false
                }
                Poll::Pending => true,
            });
        let mut ordered = Vec::new();
        while !ended.is_empty() {
            ordered.push(ended.remove(self.choose(ended.len())));
        }
        ordered
    }

    /// Returns an index below `of` that the seed determines, or 0 without a seed.
    fn choose(&mut self, of: usize) -> usize {
        let chance = self.chance.as_mut();
        chance.map_or(0, |chance| chance.below(of as u64) as usize)
    }
}
