//! Measures private copies of repositories: the time to make a copy and to record a step, compared with git commands alone,
//! and the disk space of many iterations.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use loopwright_workspaces::{Base, Person, Request, Source, Workspace};
use tempfile::TempDir;

/// The number of files in the repository whose copy is timed.
const FILES: usize = 50_000;
/// How often each time is measured; the fastest counts. One more measurement at the start warms the caches.
const ROUNDS: usize = 3;
/// The target for the time of a copy, as a multiple of the time that git alone takes.
const AIM: f64 = 1.3;

/// The number of files in the large repository. Together they take 1 GB.
const LARGE_FILES: u64 = 2_000;
/// The size of each of these files, in bytes.
const LARGE_FILE: u64 = 512 * 1024;
/// The number of measured iterations.
const ITERATIONS: u64 = 200;
/// The number of files that each iteration rewrites.
const CHANGED_FILES: u64 = 3;
/// The size of each of these files, in bytes.
const CHANGED_FILE: usize = 20 * 1024;
/// The target for the size of the copy together with all its recorded states, in bytes.
const DISK_AIM: u64 = 1_200_000_000;

/// A temporary folder with a home, a data folder and a repository.
struct Place {
    root: PathBuf,
    person: Person,
    _folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("the folder's path");
        for name in ["home", "data", "source"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        let config = "[user]\n\tname = A\n\temail = a@example.org\n[gc]\n\tauto = 0\n";
        fs::write(root.join("home/.gitconfig"), config).expect("the configuration");
        Self {
            person: Person {
                home: Some(root.join("home")),
                config_home: None,
            },
            root,
            _folder: folder,
        }
    }

    fn source(&self) -> PathBuf {
        self.root.join("source")
    }

    fn copy(&self) -> PathBuf {
        self.root.join("data/workspaces/run/loop")
    }

    fn make(&self) -> Workspace {
        let source = Source::look(&self.source(), &self.root.join("data"), &self.person);
        let request = Request {
            source: &source.expect("a repository"),
            base: Base::Head,
            run: "run",
            loop_path: "loop",
            place: &self.copy(),
        };
        Workspace::make(&request).expect("a workspace").0
    }

    /// Runs a shell command as a person would.
    fn shell(&self, folder: &Path, script: &str) {
        let done = Command::new("sh")
            .args(["-c", script])
            .current_dir(folder)
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(done.is_ok_and(|done| done.success()), "{script}");
    }

    fn commit_all(&self) {
        let script = "git init -q && git add -A && git commit -qm all && git repack -adq";
        self.shell(&self.source(), script);
    }
}

fn write(file: &Path, content: &[u8]) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, content).expect("a file");
}

fn small_file(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("d{}/e{}/f{at}.txt", at % 250, at % 7))
}

/// Returns bytes that cannot be compressed, like those of an image (`xorshift`, Marsaglia 2003).
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Measures times and disk space, and prints the results as rows of tables.
pub fn measure() {
    println!("| | here | git alone | ratio | aim |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    cost();
    println!();
    disk();
}

fn cost() {
    let place = Place::new();
    for at in 0..FILES {
        write(
            &small_file(&place.source(), at),
            format!("file {at}\n").as_bytes(),
        );
    }
    place.commit_all();
    let change = |folder: &Path, round: usize| {
        for at in 0..3 {
            let text = format!("changed {round}\n");
            write(&small_file(folder, at * 100 + round), text.as_bytes());
        }
    };
    let record = "git ls-files -z -m -d -o --exclude-standard > ../list && \
                  git update-index -z --add --remove --stdin < ../list && git write-tree > /dev/null";
    let [mut making, mut recording] = [[Duration::MAX; 2]; 2];
    for round in 0..=ROUNDS {
        let clone = place.root.join("clone");
        let bare = timed(|| place.shell(&place.root, "git clone -q --shared source clone"));
        let bare_record = (1..=5).map(|at| {
            change(&clone, at);
            timed(|| place.shell(&clone, record))
        });
        let bare_record = bare_record.min().unwrap_or_default();
        let mut made = None;
        let ours = timed(|| made = Some(place.make()));
        let workspace = made.expect("a workspace");
        workspace.record().expect("a tree");
        let our_record = (1..=5).map(|at| {
            change(&workspace.path(), at);
            timed(|| {
                workspace.record().expect("a tree");
            })
        });
        let our_record = our_record.min().unwrap_or_default();
        drop(workspace);
        Workspace::remove(&place.copy(), &place.person).expect("a removed workspace");
        fs::remove_dir_all(&clone).expect("a removed clone");
        if round > 0 {
            making = [making[0].min(ours), making[1].min(bare)];
            recording = [recording[0].min(our_record), recording[1].min(bare_record)];
        }
    }
    for (what, [ours, bare]) in [
        ("make a copy", making),
        ("record 3 changed files", recording),
    ] {
        let [ours, bare] = [ours, bare].map(|time| time.as_secs_f64());
        println!(
            "| {what}, {FILES} files | {ours:.2} s | {bare:.2} s | {:.2} | {AIM} |",
            ours / bare
        );
    }
}

fn disk() {
    let place = Place::new();
    for at in 0..LARGE_FILES {
        let length = usize::try_from(LARGE_FILE).unwrap_or_default();
        let file = place.source().join(format!("d{}/{at}.bin", at % 40));
        write(&file, &noise(length, at));
    }
    place.commit_all();
    let workspace = place.make();
    let before = Workspace::size(&place.copy()).total();
    let began = Instant::now();
    for iteration in 0..ITERATIONS {
        for at in 0..CHANGED_FILES {
            let file = workspace.path().join(format!("src/{at}.bin"));
            let seed = LARGE_FILES + iteration * CHANGED_FILES + at;
            write(&file, &noise(CHANGED_FILE, seed));
        }
        workspace.record().expect("a tree");
    }
    let took = began.elapsed().as_secs_f64() / ITERATIONS as f64;
    let after = Workspace::size(&place.copy()).total();
    let written = ITERATIONS * CHANGED_FILES * CHANGED_FILE as u64;
    println!("| a repository of 1 GB | MB | aim |\n| --- | ---: | ---: |");
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!("| the copy | {:.0} | |", mb(before));
    println!(
        "| after {ITERATIONS} iterations that wrote {:.0} MB | {:.0} | {:.0} |",
        mb(written),
        mb(after),
        mb(DISK_AIM)
    );
    println!("\nAn iteration was recorded in {took:.2} s.");
}
