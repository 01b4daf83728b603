//! Random schedules of programs that exit while they lead runs. Several programs on one data folder start runs, exit
//! and start again. They exit in every way: a window is closed with each answer to the question about its runs, a
//! program is asked to end, or a program is killed. No run is lost, no two programs lead the same run at the same time,
//! no step with a recorded outcome is executed again, and every interrupted run can be resumed to its end.
//!
//! The programs use the real code for runs, a real store and real locks, and they call a model server on loopback. They
//! share one process, and each has its own runtime, which ends when the program does. `Program::kill` says how this
//! differs from a killed process. Kills of real processes are in `torture.rs` and in `npm run torture`.
//!
//! `LOOPWRIGHT_SEED` sets the first seed, and `LOOPWRIGHT_SCHEDULES` the number of schedules. A seed determines the
//! random choices of its schedule. The effect of a choice also depends on how far the runs are at that moment, so a
//! failure may not repeat on the first try.

mod flows;
mod program;
mod watch;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env,
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use loopwright_api::{App, RunStatus};
use loopwright_engine::journal::Select;
use loopwright_providers::{Keys, keys::MemoryKeys};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, Env};
use loopwright_testing::chance::Chance;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use flows::flow;
use program::{Kind, Last, Program};
use watch::Watch;

/// The number of schedules by default.
const SCHEDULES: u64 = 300;

/// The number of schedules that run at the same time. A schedule spends most of its time waiting.
const AT_ONCE: usize = 16;

/// The number of moves in a schedule.
const MOVES: u64 = 8;
/// The maximum number of runs in a schedule.
const RUNS: usize = 6;
/// The maximum number of programs at a time.
const PROGRAMS: usize = 4;

/// The maximum time until a leader releases a run, and until all runs have ended after the last move.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// How often each move was made.
type Counts = BTreeMap<&'static str, usize>;

#[test]
fn runs_survive_every_way_of_leaving() {
    let setting = |name: &str| env::var(name).ok().and_then(|value| value.parse().ok());
    let first = setting("LOOPWRIGHT_SEED").unwrap_or(1);
    let count = setting("LOOPWRIGHT_SCHEDULES").unwrap_or(SCHEDULES);
    let next = AtomicU64::new(first);
    let (counts, failed): (Mutex<Counts>, Mutex<Vec<String>>) = Default::default();
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let played = catch_unwind(AssertUnwindSafe(|| play(seed)));
                    let panicked = |_| Err("It panicked; the message is above.".to_owned());
                    match played.unwrap_or_else(panicked) {
                        Ok(moves) => {
                            let mut counts = counts.lock().unwrap();
                            for (name, times) in moves {
                                *counts.entry(name).or_default() += times;
                            }
                        }
                        Err(why) => failed.lock().unwrap().push(format!(
                            "LOOPWRIGHT_SEED={seed} LOOPWRIGHT_SCHEDULES=1 plays it again:\n{why}"
                        )),
                    }
                }
            });
        }
    });
    let (counts, failed) = (counts.into_inner().unwrap(), failed.into_inner().unwrap());
    println!(
        "{count} schedules in {} s, {} failed",
        began.elapsed().as_secs(),
        failed.len()
    );
    for (name, times) in &counts {
        println!("  {name}: {times}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    if count >= SCHEDULES {
        for name in NECESSARY {
            assert!(counts.contains_key(name), "no schedule had this: {name}");
        }
    }
}

/// Each of these must happen in at least one schedule. Otherwise the test would prove little.
const NECESSARY: [&str; 12] = [
    "a closed window keeps runs",
    "a closed window pauses runs",
    "a closed window stops runs",
    "runs are interrupted by a log out",
    "runs are interrupted by a kill",
    "a program is killed while it starts a run",
    "a program is killed while it resumes a run",
    "a program is killed while it leaves",
    "a run continues by itself",
    "an interrupted run is resumed",
    "of two leaders, one is refused",
    "a request reaches another program",
];

/// Plays one schedule. Returns how often each move was made.
///
/// # Errors
/// Returns the moves, and what happened after them although it must not.
fn play(seed: u64) -> Result<Counts, String> {
    let mut world = World::new(seed);
    world.open_window(false);
    world.start_in(0, 3);
    for _ in 0..MOVES {
        world.wait();
        world.let_end();
        world.act();
        world.look();
        if world.watch.is_wrong() {
            break;
        }
    }
    if !world.watch.is_wrong() {
        world.end_all_runs();
        world.compare();
    }
    world.finish()
}

/// A run of a schedule.
struct Run {
    name: String,
    id: String,
    /// The status that the run keeps until it is resumed, answered or stopped; `None` while it may change by itself.
    rest: Option<RunStatus>,
    is_stopped: bool,
    /// The program that led the run last.
    leader: usize,
}

/// A data folder, with the programs on it.
struct World {
    folder: TempDir,
    watch: Arc<Watch>,
    server: String,
    /// A program that only reads runs and leads none, like `runs list`.
    looking: Arc<App>,
    /// The runtime of that program and of the server.
    runtime: Runtime,
    chance: Chance,
    programs: Vec<Program>,
    opened: usize,
    runs: Vec<Run>,
    /// The names of the runs that were in progress when their program was asked to end. The next window resumes them if
    /// its setting says so.
    left: BTreeSet<String>,
    moves: String,
    began: Instant,
    counts: Counts,
}

impl World {
    fn new(seed: u64) -> Self {
        let runtime = program::runtime();
        let folder = tempfile::tempdir().unwrap();
        let watch = Arc::<Watch>::default();
        let server = runtime.block_on(watch::serve(Arc::clone(&watch), seed));
        let keys = Keys::of(MemoryKeys::default());
        let looking = App::open_with(folder.path(), runtime.handle().clone(), keys).unwrap();
        Self {
            folder,
            watch,
            server,
            looking,
            runtime,
            chance: Chance::new(seed),
            programs: Vec::new(),
            opened: 0,
            runs: Vec::new(),
            left: BTreeSet::new(),
            moves: String::new(),
            began: Instant::now(),
            counts: Counts::new(),
        }
    }

    fn finish(mut self) -> Result<Counts, String> {
        let wrong = self.watch.take_wrong();
        for program in self.programs.drain(..) {
            program.kill(false, Last::Nothing);
        }
        self.runtime.shutdown_background();
        match wrong.is_empty() {
            true => Ok(self.counts),
            false => Err(format!(
                "{}  WRONG: {}\n",
                self.moves,
                wrong.join("\n  WRONG: ")
            )),
        }
    }

    /// Adds a line to the list of moves.
    fn log(&mut self, what: std::fmt::Arguments<'_>) {
        let ms = self.began.elapsed().as_millis();
        let _ = writeln!(self.moves, "  {ms:>5} ms: {what}");
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn wait(&mut self) {
        let ms = match self.chance.below(10) {
            0..3 => 0,
            3..9 => self.chance.below(70),
            // A request reaches its leader within this time.
            _ => 350,
        };
        thread::sleep(Duration::from_millis(ms));
    }

    /// Ends the programs without a window that no longer lead any run.
    fn let_end(&mut self) {
        let ended =
            |program: &mut Program| program.kind == Kind::Background && program.leads().is_empty();
        let ended: Vec<Program> = self.programs.extract_if(.., ended).collect();
        for program in ended {
            self.exit(program);
        }
    }

    fn exit(&mut self, program: Program) {
        let number = program.number;
        program.exit();
        self.log(format_args!("program {number} ends"));
        let statuses = self.statuses();
        for run in self.runs.iter().filter(|run| run.leader == number) {
            let status = statuses.get(&run.id);
            if matches!(status, Some(RunStatus::Running | RunStatus::Interrupted)) {
                let what = format!("{} is {status:?} after program {number} ended", run.name);
                self.watch.wrong(what);
            }
        }
    }

    fn open(&mut self, kind: Kind) -> usize {
        self.opened += 1;
        let folder: &Path = self.folder.path();
        let program = Program::open(self.opened, kind, folder, &self.server, &self.watch);
        self.programs.push(program);
        self.programs.len() - 1
    }

    /// Opens a window. If `continues` is true, the window resumes the runs that were in progress when their program was
    /// asked to end.
    fn open_window(&mut self, continues: bool) {
        let statuses = self.statuses();
        let left = std::mem::take(&mut self.left);
        let expected: BTreeSet<String> = self
            .runs
            .iter()
            .filter(|run| continues && left.contains(&run.name))
            .filter(|run| statuses.get(&run.id) == Some(&RunStatus::Interrupted))
            .map(|run| run.name.clone())
            .collect();
        let at = self.open(Kind::Window);
        let number = self.programs[at].number;
        self.log(format_args!(
            "window {number} opens, which continues {expected:?} of {left:?}"
        ));
        for run in self
            .runs
            .iter_mut()
            .filter(|run| expected.contains(&run.name))
        {
            run.rest = None;
            run.leader = number;
            run.is_stopped = false;
        }
        let flows: BTreeSet<String> = self.programs[at]
            .continue_left(continues)
            .into_iter()
            .collect();
        if flows != expected {
            let what = format!("window {number} continues {flows:?} instead of {expected:?}");
            self.watch.wrong(what);
        }
        let statuses = self.statuses();
        for run in self.runs.iter().filter(|run| expected.contains(&run.name)) {
            if statuses.get(&run.id) == Some(&RunStatus::Interrupted) {
                self.watch.wrong(format!("{} does not continue", run.name));
            }
        }
        if !expected.is_empty() {
            self.count("a run continues by itself");
        }
    }

    fn statuses(&self) -> HashMap<String, RunStatus> {
        let runs = records::runs(self.looking.env(), 99, 0).unwrap();
        runs.into_iter()
            .map(|run| (run.run_id, run.status))
            .collect()
    }

    /// Makes one random move.
    fn act(&mut self) {
        match self.chance.below(100) {
            0..24 => self.start(),
            24..29 => self.open_another(),
            29..43 => self.close_window(),
            43..48 => self.follow(),
            48..64 => self.resume_any(),
            64..71 => self.ask_to_pause(),
            71..75 => self.ask_to_stop(),
            75..83 => self.log_out(),
            83..90 => self.terminate_one(),
            _ => self.kill_one(),
        }
    }

    fn any_program(&mut self) -> Option<usize> {
        let count = self.programs.len() as u64;
        (count > 0).then(|| self.chance.below(count) as usize)
    }

    fn any_window(&mut self) -> Option<usize> {
        let is_window = |at: &usize| self.programs[*at].kind == Kind::Window;
        let windows: Vec<usize> = (0..self.programs.len()).filter(is_window).collect();
        let chosen = self.chance.below(windows.len() as u64);
        windows.get(chosen as usize).copied()
    }

    /// Returns a program that can lead another run: a window, or a new command.
    fn any_leader(&mut self) -> usize {
        let is_new = self.programs.len() < PROGRAMS && self.chance.percent(25);
        match self.any_window() {
            Some(at) if !is_new => at,
            _ => self.open(Kind::Background),
        }
    }

    fn any_run(&mut self) -> Option<usize> {
        let count = self.runs.len() as u64;
        (count > 0).then(|| self.chance.below(count) as usize)
    }

    fn next_flow(&mut self) -> (String, serde_json::Value) {
        let name = format!("r{}", self.runs.len() + 1);
        let document = flow(&name, self.chance.number());
        (name, document)
    }

    fn has_begun(&mut self, name: String, id: String, leader: usize) {
        self.runs.push(Run {
            name,
            id,
            rest: None,
            is_stopped: false,
            leader,
        });
    }

    fn start(&mut self) {
        if self.runs.len() >= RUNS {
            return self.resume_any();
        }
        let at = self.any_leader();
        let count = self.chance.below(3) as usize + 1;
        self.start_in(at, count);
    }

    /// Starts `count` runs in one program, or fewer if the schedule would have more than [`RUNS`].
    fn start_in(&mut self, program: usize, count: usize) {
        let number = self.programs[program].number;
        for _ in 0..count.min(RUNS - self.runs.len()) {
            let (name, document) = self.next_flow();
            self.log(format_args!("program {number} starts {name}"));
            let id = self.programs[program].start(document).unwrap();
            self.has_begun(name, id, number);
        }
    }

    fn open_another(&mut self) {
        if self.programs.len() < PROGRAMS {
            let continues = self.chance.percent(50);
            self.open_window(continues);
        }
    }

    /// Closes a window and gives one of the answers to its question. If no window is open, opens one.
    fn close_window(&mut self) {
        let leads = |program: &Program| program.kind == Kind::Window && !program.leads().is_empty();
        let leader = self.programs.iter().position(leads);
        let Some(at) = leader.or_else(|| self.any_window()) else {
            return self.open_another();
        };
        let (number, leads) = (self.programs[at].number, self.programs[at].leads());
        if leads.is_empty() {
            self.log(format_args!("window {number} is closed"));
            let program = self.programs.remove(at);
            return self.exit(program);
        }
        match self.chance.below(3) {
            0 => {
                self.log(format_args!(
                    "window {number} is closed and keeps {leads:?}"
                ));
                self.count("a closed window keeps runs");
                self.programs[at].kind = Kind::Background;
            }
            1 => {
                self.log(format_args!(
                    "window {number} is closed and pauses {leads:?}"
                ));
                self.count("a closed window pauses runs");
                runs::pause_all(self.programs[at].env());
                self.programs[at].kind = Kind::Background;
            }
            _ => {
                self.log(format_args!(
                    "window {number} is closed and stops {leads:?}"
                ));
                self.count("a closed window stops runs");
                for run in &mut self.runs {
                    run.is_stopped |= leads.contains(&run.id);
                }
                let program = self.programs.remove(at);
                self.exit(program);
            }
        }
    }

    fn follow(&mut self) {
        if let (Some(program), Some(run)) = (self.any_program(), self.any_run()) {
            let (number, name) = (self.programs[program].number, &self.runs[run].name);
            let line = format!("program {number} follows {name}");
            self.log(format_args!("{line}"));
            self.programs[program].follow(&self.runs[run].id);
        }
    }

    /// Resumes a random run, or answers its question.
    fn resume_any(&mut self) {
        let suspended = |run: &&usize| {
            let rest = self.runs[**run].rest;
            rest.is_some_and(|rest| !rest.is_over())
        };
        let all: Vec<usize> = (0..self.runs.len()).collect();
        let suspended: Vec<usize> = all.iter().filter(suspended).copied().collect();
        let is_left = |run: &&usize| self.left.contains(&self.runs[**run].name);
        let left: Vec<usize> = suspended.iter().filter(is_left).copied().collect();
        // Sometimes a run is tried that may be over or led by a program.
        let among = match suspended.is_empty() || self.chance.percent(10) {
            true => all,
            false if left.is_empty() => suspended,
            false => left,
        };
        let chosen = self.chance.below(among.len() as u64);
        let Some(run) = among.get(chosen as usize).copied() else {
            return;
        };
        match self.chance.percent(40) {
            true => self.resume_twice(run),
            false => self.resume(run),
        }
    }

    /// Returns a random answer to the question of a run; `None` if the run does not wait for an answer.
    fn answer(&mut self, run: usize) -> Option<bool> {
        let waits = self.runs[run].rest == Some(RunStatus::Waiting);
        waits.then(|| self.chance.percent(70))
    }

    /// Resumes a run in one program. A suspended run can be resumed as soon as its leader has released it.
    fn resume(&mut self, run: usize) {
        let (at, answer) = (self.any_leader(), self.answer(run));
        let Run { name, id, rest, .. } = &self.runs[run];
        let line = format!(
            "program {} resumes {name} ({rest:?}, {answer:?})",
            self.programs[at].number
        );
        let began = Instant::now();
        let resumed = loop {
            match self.programs[at].resume(name, id, answer) {
                Err(error) if error.code == Code::Busy && rest.is_some() => {
                    if began.elapsed() > PATIENCE {
                        break Err(error);
                    }
                    thread::sleep(LOOK);
                }
                resumed => break resumed,
            }
        };
        if let Err(error) = &resumed
            && rest.is_some_and(|rest| !rest.is_over())
        {
            let what = format!("{name}, which is {rest:?}, cannot be resumed: {error}");
            self.watch.wrong(what);
        }
        self.log(format_args!("{line}"));
        self.has_been_resumed(run, at, resumed);
    }

    /// Records whether a program could resume a run.
    fn has_been_resumed(&mut self, run: usize, program: usize, resumed: Result<(), ApiError>) {
        match resumed {
            Ok(()) => {
                let run = &mut self.runs[run];
                if run.rest == Some(RunStatus::Interrupted) {
                    *self
                        .counts
                        .entry("an interrupted run is resumed")
                        .or_default() += 1;
                }
                run.rest = None;
                run.leader = self.programs[program].number;
                // Requests to an earlier leader do not apply to this one.
                run.is_stopped = false;
                // The run was not left any more, whatever becomes of it now.
                self.left.remove(&run.name);
            }
            Err(error) if matches!(error.code, Code::Busy | Code::InvalidArgument) => {}
            Err(error) => {
                let what = format!("{} cannot be resumed: {error}", self.runs[run].name);
                self.watch.wrong(what);
            }
        }
    }

    /// Resumes a run in two programs at the same time. At most one of them may lead it.
    fn resume_twice(&mut self, run: usize) {
        let one = self.any_leader();
        let other = match self.any_program() {
            Some(at) if at != one => at,
            _ => self.open(Kind::Background),
        };
        let pair = [one, other];
        let answer = self.answer(run);
        let Run { name, id, rest, .. } = &self.runs[run];
        let line = format!("two programs resume {name} ({rest:?}, {answer:?})");
        let barrier = Barrier::new(2);
        let programs = &self.programs;
        let resumed = thread::scope(|scope| {
            pair.map(|at| {
                let (barrier, program) = (&barrier, &programs[at]);
                scope.spawn(move || {
                    barrier.wait();
                    program.resume(name, id, answer)
                })
            })
            .map(|resumed| resumed.join().unwrap())
        });
        let count = resumed.iter().filter(|resumed| resumed.is_ok()).count();
        if count > 1 {
            self.watch.wrong(format!("two programs lead {name}"));
        }
        self.log(format_args!("{line}: {count} does"));
        if count == 1 {
            self.count("of two leaders, one is refused");
        }
        for (at, resumed) in pair.into_iter().zip(resumed) {
            self.has_been_resumed(run, at, resumed);
        }
    }

    /// Returns a random program that sends a request, and the random run that the request is about. The run is often in
    /// progress. Returns `None` if there are no runs.
    fn any_request(&mut self) -> Option<(Arc<Env>, usize)> {
        let asking = match self.any_program() {
            Some(at) if self.chance.percent(40) => Arc::clone(self.programs[at].env()),
            _ => Arc::clone(self.looking.env()),
        };
        let in_progress = self.runs.iter().position(|run| run.rest.is_none());
        let run = in_progress.filter(|_| self.chance.percent(70));
        let run = run.or(self.any_run())?;
        let id = &self.runs[run].id;
        if asking.is_led(id) && !runs::running_ids(&asking).contains(id) {
            self.count("a request reaches another program");
        }
        Some((asking, run))
    }

    fn ask_to_pause(&mut self) {
        let Some((asking, run)) = self.any_request() else {
            return;
        };
        let id = self.runs[run].id.clone();
        let line = format!("{} is to pause", self.runs[run].name);
        self.log(format_args!("{line}"));
        match runs::pause_run(&asking, &id) {
            Ok(()) if self.chance.percent(30) => {
                // A person changes their mind. If the run is already suspended, it must be resumed.
                runs::unpause_run(&asking, &id);
            }
            Ok(()) => {}
            Err(error) if error.code == Code::InvalidArgument => {}
            Err(error) => self.watch.wrong(format!("{id} cannot be paused: {error}")),
        }
    }

    fn ask_to_stop(&mut self) {
        let Some((asking, run)) = self.any_request() else {
            return;
        };
        let line = format!("{} is to stop", self.runs[run].name);
        self.log(format_args!("{line}"));
        let run = &mut self.runs[run];
        let is_led = asking.is_led(&run.id);
        run.is_stopped = true;
        match runs::stop_run(&asking, &run.id) {
            Ok(()) => {
                let is_suspended = run.rest.is_some_and(|rest| !rest.is_over());
                if is_suspended {
                    // A leader that has just suspended the run may not see the request any more.
                    run.rest = (!is_led).then_some(RunStatus::Cancelled);
                }
            }
            Err(error) if error.code == Code::Busy => {}
            Err(error) => self
                .watch
                .wrong(format!("{} cannot be stopped: {error}", run.name)),
        }
        let id = run.id.clone();
        let leader = self
            .programs
            .iter()
            .position(|program| program.leads().contains(&id));
        if let Some(at) = leader.filter(|_| self.chance.percent(30)) {
            // The request may not have reached the leader yet.
            self.kill(at);
        }
    }

    /// Simulates a logout and the next login: all programs are asked to end, some are killed while they do, and then a
    /// window opens.
    fn log_out(&mut self) {
        let programs = std::mem::take(&mut self.programs);
        self.terminate(programs);
        self.look();
        if self.chance.percent(30) {
            // A run is resumed by hand, and its program is lost.
            self.resume_any();
            self.look();
            self.kill_one();
            self.look();
        }
        let continues = self.chance.percent(60);
        self.open_window(continues);
    }

    fn terminate_one(&mut self) {
        if let Some(at) = self.any_program() {
            let program = self.programs.remove(at);
            self.terminate(vec![program]);
        }
    }

    /// Ends programs with SIGTERM, all at the same time.
    fn terminate(&mut self, programs: Vec<Program>) {
        let led: Vec<String> = programs.iter().flat_map(Program::leads).collect();
        let numbers: Vec<usize> = programs.iter().map(|program| program.number).collect();
        self.log(format_args!("programs {numbers:?} are asked to end"));
        let mut is_killed = Vec::new();
        for program in &programs {
            self.watch.leaves(program.number);
            is_killed.push(self.chance.percent(15));
        }
        if is_killed.contains(&true) {
            self.count("a program is killed while it leaves");
        }
        thread::scope(|scope| {
            for (program, is_killed) in programs.into_iter().zip(is_killed) {
                scope.spawn(move || match is_killed {
                    true => drop(program.kill(true, Last::Nothing)),
                    false => program.terminate(),
                });
            }
        });
        let statuses = self.statuses();
        let interrupted = |run: &&Run| {
            led.contains(&run.id) && statuses.get(&run.id) == Some(&RunStatus::Interrupted)
        };
        let interrupted: Vec<String> = self
            .runs
            .iter()
            .filter(interrupted)
            .map(|run| run.name.clone())
            .collect();
        if !interrupted.is_empty() {
            self.count("runs are interrupted by a log out");
        }
        self.left.extend(interrupted);
    }

    fn kill_one(&mut self) {
        let leader = self
            .programs
            .iter()
            .position(|program| !program.leads().is_empty());
        let any = self.any_program();
        let Some(at) = leader.filter(|_| self.chance.percent(60)).or(any) else {
            return;
        };
        self.kill(at);
    }

    fn kill(&mut self, at: usize) {
        let number = self.programs[at].number;
        let is_window = self.programs[at].kind == Kind::Window;
        let program = self.programs.remove(at);
        if !program.leads().is_empty() {
            self.count("runs are interrupted by a kill");
        }
        self.watch.leaves(number);
        match self.chance.below(4) {
            0 if is_window && self.runs.len() < RUNS => {
                let (name, document) = self.next_flow();
                self.log(format_args!(
                    "program {number} is killed when it starts {name}"
                ));
                self.count("a program is killed while it starts a run");
                if let Some(id) = program.kill(false, Last::Start(document)) {
                    self.has_begun(name, id, number);
                }
            }
            1 if is_window && !self.runs.is_empty() => {
                let run = self.any_run().unwrap_or(0);
                let answer = self.answer(run);
                let Run { name, id, .. } = &self.runs[run];
                let last = Last::Resume(name.clone(), id.clone(), answer);
                let line = format!("program {number} is killed when it resumes {name}");
                self.log(format_args!("{line}"));
                self.count("a program is killed while it resumes a run");
                let run = &mut self.runs[run];
                if !run.rest.is_some_and(RunStatus::is_over) {
                    run.rest = None;
                    run.leader = number;
                    self.left.remove(&run.name);
                }
                program.kill(false, last);
            }
            _ => {
                self.log(format_args!("program {number} is killed"));
                program.kill(false, Last::Nothing);
            }
        }
    }

    /// Checks the conditions that must hold at any time.
    fn look(&mut self) {
        self.look_at_leaders();
        let began = Instant::now();
        let statuses = loop {
            let statuses = self.statuses();
            let is_lost = |run: &&Run| {
                let leads = |program: &Program| program.leads().contains(&run.id);
                statuses.get(&run.id) == Some(&RunStatus::Running)
                    && !self.programs.iter().any(leads)
            };
            match self.runs.iter().find(is_lost) {
                None => break statuses,
                // A run that has just ended has no leader, and its status was read before.
                Some(_) if began.elapsed() < PATIENCE => thread::sleep(LOOK),
                Some(run) => {
                    let what = format!("{} is running without a leader", run.name);
                    self.watch.wrong(what);
                    break statuses;
                }
            }
        };
        for run in &mut self.runs {
            let name = &run.name;
            let Some(status) = statuses.get(&run.id).copied() else {
                self.watch.wrong(format!("{name} is not in the history"));
                continue;
            };
            if let Some(rest) = run.rest.filter(|rest| *rest != status) {
                let what = format!("{name} was {rest:?}, and is {status:?} by itself");
                self.watch.wrong(what);
            }
            match status {
                RunStatus::Failed | RunStatus::Queued => {
                    self.watch.wrong(format!("{name} is {status:?}"));
                }
                RunStatus::Cancelled if !run.is_stopped => {
                    self.watch.wrong(format!("{name} was cancelled by nobody"));
                }
                _ => {}
            }
            run.rest = (status != RunStatus::Running).then_some(status);
        }
    }

    /// Checks that no two programs lead the same run.
    fn look_at_leaders(&self) {
        for (at, one) in self.programs.iter().enumerate() {
            for other in &self.programs[at + 1..] {
                let (before, led, after) = (one.leads(), other.leads(), one.leads());
                let both = led
                    .iter()
                    .find(|run| before.contains(run) && after.contains(run));
                if let Some(run) = both {
                    let what = format!("programs {} and {} lead {run}", one.number, other.number);
                    self.watch.wrong(what);
                }
            }
        }
    }

    /// Resumes the suspended runs and answers the open questions until all runs are over.
    fn end_all_runs(&mut self) {
        self.log(format_args!("all runs are ended"));
        if self.any_window().is_none() {
            self.open_window(false);
        }
        let began = Instant::now();
        loop {
            self.let_end();
            self.look();
            if self.watch.is_wrong() {
                return;
            }
            let is_over = |run: &Run| run.rest.is_some_and(RunStatus::is_over);
            if self.runs.iter().all(is_over) {
                break;
            }
            if began.elapsed() > PATIENCE {
                for run in self.runs.iter().filter(|run| !is_over(run)) {
                    let what = format!("{} does not end: {:?}", run.name, run.rest);
                    self.watch.wrong(what);
                }
                return;
            }
            let suspended = |run: &Run| run.rest.is_some_and(|rest| !rest.is_over());
            if let Some(run) = self.runs.iter().position(suspended) {
                match self.chance.percent(30) {
                    true => self.resume_twice(run),
                    false => self.resume(run),
                }
            }
            thread::sleep(LOOK);
        }
        for program in std::mem::take(&mut self.programs) {
            self.exit(program);
        }
    }

    /// Compares the records of the runs with the calls that the server received.
    fn compare(&mut self) {
        let env = self.looking.env();
        for run in &self.runs {
            let kept = env.journal().read(&run.id, Select::All).unwrap();
            if !kept
                .iter()
                .map(|record| record.seq)
                .eq(0..kept.len() as u64)
            {
                self.watch
                    .wrong(format!("{} has gaps in its records", run.name));
            }
            match runs::replay_run(env, &run.id, |_| {}) {
                Ok(replayed) if Some(replayed.status) == run.rest => {}
                Ok(replayed) => self.watch.wrong(format!(
                    "{} is {:?}, but replays as {:?}",
                    run.name, run.rest, replayed.status
                )),
                Err(error) => self
                    .watch
                    .wrong(format!("{} does not replay: {error}", run.name)),
            }
            let events = records::run_events(env, &run.id).unwrap();
            let text = serde_json::to_string(&events).unwrap();
            self.watch
                .compare_calls(&run.name, &answers_in(&text, &run.name));
        }
    }
}

/// Returns the answers of the server in the events of a run: the numbers of the calls, by prompt. An answer is `r1/draft/0#17;`.
fn answers_in(text: &str, run: &str) -> BTreeMap<String, BTreeSet<usize>> {
    let mut answers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let begin = format!("{run}/");
    for (at, _) in text.match_indices(&begin) {
        let Some((answer, _)) = text[at..].split_once(';') else {
            continue;
        };
        if let Some((prompt, number)) = answer.split_once('#')
            && let Ok(number) = number.parse()
            && prompt
                .chars()
                .all(|one| one.is_alphanumeric() || one == '/')
        {
            answers.entry(prompt.to_owned()).or_default().insert(number);
        }
    }
    answers
}
