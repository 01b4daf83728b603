//! Tries to escape from a sandbox or to exhaust the computer. Each such attempt is a file in `escapes/`. Every attempt must
//! fail with a clean error or yield a harmless value, within its time and memory.
//!
//! A folder is a language and a file is an attempt. The first lines are comments that say what is tried and what the result
//! must be; the source follows. `«1000|text»` stands for the text repeated a thousand times.
//!
//! - `expect: fails CODE` or `fails CODE, words`: an error whose code begins with CODE and whose message contains these words;
//! - `expect: gives JSON`: this value;
//! - `expect: ends`: either of them.
//!
//! Each attempt runs in its own process, which runs this test program again. A stack overflow or an abort ends only that
//! process, and its time and memory can be measured. To add a language, add it to [`LANGUAGES`].

#![allow(clippy::unwrap_used)]
// The tests measure how long an attempt takes.
#![allow(clippy::disallowed_methods)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use loopwright_script::Limits;
use loopwright_script_worker::Stop;
use loopwright_template::{Scope, Template};
use serde_json::{Map, Value, json};

/// The result of an attempt: a value, or the code and the message of an error.
type Ended = Result<Value, (String, String)>;

struct Language {
    folder: &'static str,
    /// The strings with which a comment line starts and ends.
    comment: (&'static str, &'static str),
    /// A function that runs a source and returns its value, or the error's code and message. `patience` multiplies the time
    /// limits.
    run: fn(&str, patience: u32) -> Ended,
    /// The maximum CPU time of an attempt, in milliseconds. It is twice the limit plus the time that the test itself needs.
    most_ms: u64,
    /// The maximum memory of an attempt in megabytes. It is twice the limit plus the memory that the test itself needs.
    most_mb: u64,
}

const LANGUAGES: &[Language] = &[
    Language {
        folder: "luau",
        comment: ("-- ", ""),
        run: luau,
        most_ms: 2 * 400,
        most_mb: 2 * 16,
    },
    Language {
        folder: "tera",
        comment: ("{# ", " #}"),
        run: tera,
        most_ms: 2 * 5_000,
        most_mb: 512,
    },
];

fn luau(source: &str, patience: u32) -> Result<Value, (String, String)> {
    let limits = Limits {
        memory: 16 << 20,
        time: Duration::from_millis(400) * patience,
        result: 256 << 10,
    };
    let values = Map::from_iter([("input".to_owned(), json!({ "a": null, "list": [] }))]);
    loopwright_script_worker::run(source, &values, limits, &Stop::default())
        .map_err(|failure| (failure.code.to_owned(), failure.message))
}

fn tera(source: &str, _patience: u32) -> Result<Value, (String, String)> {
    let template =
        Template::parse(source).map_err(|error| (error.code.to_owned(), error.message))?;
    template
        .render(&scope())
        .map_err(|error| (error.code.to_owned(), error.message))
}

fn scope() -> Scope {
    let many: Vec<usize> = (0..3000).collect();
    let objects: Vec<Value> = (0..3000)
        .map(|at| json!({ "k": at % 7, "v": at }))
        .collect();
    Scope::from_iter([
        ("input".to_owned(), json!("a text")),
        ("long".to_owned(), json!("ax".repeat(5_000))),
        ("lines".to_owned(), json!("x\n".repeat(1_000))),
        ("quotes".to_owned(), json!("\"\\".repeat(500))),
        ("many".to_owned(), json!(many)),
        ("objects".to_owned(), json!(objects)),
        ("smallest".to_owned(), json!(i64::MIN)),
        ("l".to_owned(), json!([0])),
        ("nodes".to_owned(), json!({ "a": 1 })),
    ])
}

struct Attempt {
    path: PathBuf,
    expect: String,
    source: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("escapes")
}

fn read(path: &Path, language: &Language) -> Attempt {
    let text = fs::read_to_string(path).unwrap();
    let (before, behind) = language.comment;
    let comment = |line: &str| {
        let line = line.strip_prefix(before)?.strip_suffix(behind)?;
        Some(line.to_owned())
    };
    let mut lines = text.splitn(3, '\n');
    let what = lines.next().and_then(comment);
    assert!(
        what.is_some(),
        "{}: its first line says what is tried",
        path.display()
    );
    let expect = lines
        .next()
        .and_then(comment)
        .and_then(|line| line.strip_prefix("expect: ").map(str::to_owned));
    Attempt {
        path: path.to_owned(),
        expect: expect
            .unwrap_or_else(|| panic!("{}: its second line says `expect: …`", path.display())),
        source: repeated(lines.next().unwrap_or_default().trim_end_matches('\n')),
    }
}

/// Returns a source with every string of the form `«1000|text»` expanded.
fn repeated(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some((before, behind)) = rest.split_once('«') {
        let (inside, behind) = behind.split_once('»').expect("`«` has its `»`");
        let (count, text) = inside.split_once('|').expect("`«1000|text»`");
        out.push_str(before);
        out.push_str(&text.repeat(count.parse().unwrap()));
        rest = behind;
    }
    out + rest
}

/// The environment variable with the path of the file to which the process of an attempt writes its result.
const REPORT: &str = "LOOPWRIGHT_ESCAPE_REPORT";
/// The environment variable with the path of an attempt.
const ATTEMPT: &str = "LOOPWRIGHT_ESCAPE";
/// The environment variable with the factor for the time limits of an attempt.
const PATIENCE: &str = "LOOPWRIGHT_ESCAPE_PATIENCE";

/// Runs one attempt, in a process that another test starts. When run alone, this test checks nothing.
#[test]
fn attempt() {
    let (Ok(path), Ok(report)) = (env::var(ATTEMPT), env::var(REPORT)) else {
        return;
    };
    let path = PathBuf::from(path);
    let folder = path.parent().unwrap().file_name().unwrap();
    let language = LANGUAGES
        .iter()
        .find(|language| *language.folder == *folder)
        .unwrap();
    let source = read(&path, language).source;
    let patience = env::var(PATIENCE).unwrap().parse().unwrap();
    // One-time initialisation does not count towards the attempt.
    let _ = (language.run)("1", 1);
    let (before_ms, before_kb) = (processor_ms(), status_kb("VmRSS:"));
    let ended = (language.run)(&source, patience);
    let value = json!({
        "value": ended.as_ref().ok(),
        "error": ended.as_ref().err(),
        "ms": processor_ms() - before_ms,
        "mb": status_kb("VmHWM:").saturating_sub(before_kb) / 1024,
    });
    fs::write(report, value.to_string()).unwrap();
}

/// Returns the CPU time that all threads of this process have used, in milliseconds, or 0 if it cannot be read.
fn processor_ms() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<u64>().ok())
            .unwrap_or(0)
    };
    // One tick is 10 ms on Linux.
    (ticks(11) + ticks(12)) * 10
}

fn status_kb(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}

/// Runs an attempt in a separate process. `patience` multiplies its time limits. Returns what is wrong with its result, or
/// `None` if the result is as expected.
fn wrong(attempt: &Attempt, language: &Language, folder: &Path, patience: u32) -> Option<String> {
    let report = folder.join(attempt.path.file_name().unwrap());
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "escapes::attempt", "--test-threads=1"])
        .env(ATTEMPT, &attempt.path)
        .env(REPORT, &report)
        .env(PATIENCE, patience.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // This limit is generous, because the machine may be busy: it only catches hangs.
        if began.elapsed() > Duration::from_secs(90) {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some("it did not end".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let Ok(text) = fs::read_to_string(&report) else {
        return Some(format!("its process ended with {status}"));
    };
    let said: Value = serde_json::from_str(&text).unwrap();
    let (ms, mb) = (said["ms"].as_u64().unwrap(), said["mb"].as_u64().unwrap());
    let error = said["error"].as_array().map(|error| {
        let part = |at: usize| error[at].as_str().unwrap().to_owned();
        (part(0), part(1))
    });
    let mut wrong = Vec::new();
    if ms > language.most_ms * u64::from(patience) {
        wrong.push(format!("it took {ms} ms"));
    }
    if mb > language.most_mb {
        wrong.push(format!("it held {mb} MB"));
    }
    match &error {
        Some((code, message)) => {
            if message.trim().is_empty() || message.len() > 3_000 || message.contains("0x") {
                wrong.push("its words are none for people".to_owned());
            }
            let (expected, words) = match attempt.expect.strip_prefix("fails") {
                Some(expected) => expected
                    .trim()
                    .split_once(", ")
                    .unwrap_or((expected.trim(), "")),
                None if attempt.expect == "ends" => ("", ""),
                None => ("another end", ""),
            };
            if !code.starts_with(expected) || !message.contains(words) {
                wrong.push(format!("it should {}", attempt.expect));
            }
        }
        None => {
            let given = attempt.expect.strip_prefix("gives ");
            let expected = given.map(|json| serde_json::from_str::<Value>(json).unwrap());
            if attempt.expect != "ends" && expected.as_ref() != Some(&said["value"]) {
                wrong.push(format!("it should {}", attempt.expect));
            }
        }
    }
    let ended = match &error {
        Some((code, message)) => format!("{code}: {message}"),
        None => said["value"].to_string(),
    };
    if env::var_os("LOOPWRIGHT_ESCAPES_SHOWN").is_some() {
        println!("{}\t{ms} ms\t{mb} MB\t{ended:.160}", attempt.path.display());
    }
    (!wrong.is_empty()).then(|| format!("{}; it ended with {ended:.300}", wrong.join(", ")))
}

fn all_fail(language: &Language) {
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join(language.folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() > 100, "{} attempts", paths.len());
    let folder = tempfile::tempdir().unwrap();
    let todo = Mutex::new(paths.into_iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let next = todo.lock().unwrap().next();
                    let Some(path) = next else { break };
                    let attempt = read(&path, language);
                    // On a busy machine, the time limit may be reached before the attempt does what it tests.
                    let try_with = |patience| wrong(&attempt, language, folder.path(), patience);
                    if try_with(1).is_some()
                        && let Some(why) = try_with(10)
                    {
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("{}: {why}", path.display()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "{} got out:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn no_script_gets_out() {
    all_fail(&LANGUAGES[0]);
}

#[test]
fn no_template_gets_out() {
    all_fail(&LANGUAGES[1]);
}

#[test]
fn every_folder_has_a_language() {
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(
            LANGUAGES.iter().any(|language| *language.folder == *name),
            "{name:?}"
        );
    }
}
