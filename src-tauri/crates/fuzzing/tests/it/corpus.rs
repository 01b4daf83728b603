//! Checks each reader with the seeds, every case that the fuzzer found, and some mutated inputs.

#![allow(clippy::unwrap_used)]
// The tests measure how long a case takes.
#![allow(clippy::disallowed_methods)]

use crate::mutator;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use loopwright_fuzzing::{TARGETS, check};
use mutator::Mutator;

/// The maximum total size of the files of a target, in bytes.
const MOST: u64 = 200 << 10;
/// The time limit of a case. The fuzzer's limit is two seconds, but the tests are not optimised and the machine may be busy.
const WITHIN: Duration = Duration::from_secs(20);

fn files(target: &str) -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let mut found = Vec::new();
    for folder in ["seeds", "found"] {
        let entries = fs::read_dir(corpus.join(folder)).into_iter().flatten();
        found.extend(entries.map(|entry| entry.unwrap().path()));
    }
    found.sort();
    found
}

fn replay(target: &str) {
    let files = files(target);
    assert!(files.len() > 1, "{target} has no seeds");
    let mut bytes = 0;
    for path in files {
        let data = fs::read(&path).unwrap();
        bytes += data.len() as u64;
        // If the case panics, the output shows its path.
        println!("{}", path.display());
        let began = Instant::now();
        check(target, &data);
        let took = began.elapsed();
        assert!(took < WITHIN, "{}: {took:?}", path.display());
    }
    assert!(bytes <= MOST, "the corpus of {target} has {bytes} bytes");
}

/// Returns the number of mutated inputs for each target, which `LOOPWRIGHT_MUTATIONS` can override.
fn mutations() -> u64 {
    let asked = std::env::var("LOOPWRIGHT_MUTATIONS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(20)
}

/// Checks the target with mutated inputs from its corpus. Unlike a fuzzer, this check does not learn from coverage, but it runs
/// without an installed fuzzer.
fn change(target: &str) {
    let all: Vec<Vec<u8>> = files(target)
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    let words = words(target);
    for seed in 0..mutations() {
        let mut mutator = Mutator::new(seed);
        let changed = mutator.change(&all, &words);
        let done = std::panic::catch_unwind(|| {
            let began = Instant::now();
            check(target, &changed);
            began.elapsed()
        });
        let kept = || {
            let path = std::env::temp_dir().join(format!("{target}-{seed}"));
            fs::write(&path, &changed).unwrap();
            path.display().to_string()
        };
        match done {
            Ok(took) => assert!(took < WITHIN, "{took:?}: {}", kept()),
            Err(_) => panic!("change {seed} of {target}, kept in {}", kept()),
        }
    }
}

/// Returns the words of a target's dictionary.
fn words(target: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/dicts");
    let text = fs::read_to_string(root.join(format!("{target}.dict"))).unwrap();
    text.lines().map(unescaped).collect()
}

/// Decodes a line of a libFuzzer dictionary, such as `"a\x0ab"`.
fn unescaped(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line.trim_matches('"').as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte == b'\\' && behind.first() == Some(&b'x') {
            let digits = std::str::from_utf8(&behind[1..3]).unwrap();
            out.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &behind[3..];
        } else {
            out.push(byte);
        }
    }
    out
}

/// Defines a test for each target, so that they run in parallel.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name));
            change(stringify!($name));
        })*

        #[test]
        fn every_target_is_here_and_is_built_for_the_fuzzer() {
            let here = [$(stringify!($name)),*];
            let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(here.as_slice(), all);
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let manifest = fs::read_to_string(root.join("../../fuzz/Cargo.toml")).unwrap();
            for name in here {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            }
        }
    };
}

targets! {
    answer
    flow_file
    template
    expression
    script
    import_tea
    import_containers
    import_loom
    import_logic_apps
    import_aistudio
    import_ralph
    stream_chat
    stream_anthropic
    stream_gemini
    mcp_client
    mcp_server
    journal_records
    run_file
}
