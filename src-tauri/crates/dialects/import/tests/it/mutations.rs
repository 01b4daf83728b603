//! Imports of damaged files: parts of real documents are removed, doubled or replaced. Every import must end quickly, with a flow
//! or with an error that names a place. Unknown parts must be reported, and nothing may be dropped silently.
//!
//! A seed selects the changes. `LOOPWRIGHT_MUTATIONS` is the number of changes tried for each file.

#![allow(clippy::unwrap_used)]
// These tests measure how long an import takes.
#![allow(clippy::disallowed_methods)]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use loopwright_import::{Import, Options, import};
use serde_json::{Value, json};

/// The default number of changes for each file.
const USUAL: usize = 5;
/// A word that no format contains.
const STRANGE: &str = "zz_strange";

/// A generator of pseudo-random numbers with a fixed sequence for each seed (SplitMix64, Steele et al. 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }
}

fn documents() -> Vec<(PathBuf, Value)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../../../..");
    let mut open = vec![here.join("../../api/tests/imports")];
    for folder in ["tea", "loom", "logicapps", "shodan", "aistudio"] {
        open.push(root.join("../shared/cases").join(folder));
    }
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let value = match path.extension().and_then(|kind| kind.to_str()) {
                Some("json") => serde_json::from_str(&text).ok(),
                Some("yaml") => serde_saphyr::from_str(&text).ok(),
                _ => None,
            };
            found.extend(value.map(|value| (path, value)));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// Collects all places in a value as JSON pointers.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), into);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(item, &format!("{at}/{name}"), into);
            }
        }
        _ => {}
    }
}

/// Returns a replacement for a value.
fn others(dice: &mut Dice) -> Value {
    let texts = [
        "",
        " ",
        "{{",
        "{{ state.",
        "{% for %}",
        "@{",
        "@equals(",
        "@",
        "}}",
        "state[",
        "return",
        "\u{0}",
        "ß\u{301}🦊",
        "__end__",
        "../../etc/passwd",
        "{{ (((((((((( }}",
        "@{@{@{}}}",
    ];
    match dice.below(10) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1.5),
        4 => json!(1e300),
        5 => json!([]),
        6 => json!({}),
        7 => json!([[[[{ "name": "x" }]]]]),
        _ => json!(texts[dice.below(texts.len())]),
    }
}

/// Makes one change and describes it.
fn change(document: &mut Value, dice: &mut Dice) -> String {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let at = all[dice.below(all.len())].clone();
    let (parent, key) = at.rsplit_once('/').unwrap_or(("", ""));
    match dice.below(4) {
        0 if !at.is_empty() => {
            match document.pointer_mut(parent) {
                Some(Value::Object(fields)) => {
                    fields.remove(&key.replace("~1", "/").replace("~0", "~"));
                }
                Some(Value::Array(items)) => {
                    items.remove(key.parse().unwrap());
                }
                _ => {}
            }
            format!("without {at}")
        }
        1 if !at.is_empty() => {
            let twin = document.pointer(&at).cloned().unwrap();
            match document.pointer_mut(parent) {
                Some(Value::Object(fields)) => {
                    fields.insert(format!("{key}_2"), twin);
                }
                Some(Value::Array(items)) => items.push(twin),
                _ => {}
            }
            format!("{at} twice")
        }
        _ => {
            let other = others(dice);
            let says = format!("{at} = {other}");
            *document.pointer_mut(&at).unwrap() = other;
            says
        }
    }
}

/// Imports `text` and measures the time. Returns `None` if the import panicked.
fn tried(text: &str) -> (Option<Result<Import, String>>, Duration) {
    let began = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| {
        import(text, &Options::default()).map_err(|error| error.to_string())
    }));
    (done.ok(), began.elapsed())
}

/// Returns the number of changes for each document.
fn mutations() -> usize {
    std::env::var("LOOPWRIGHT_MUTATIONS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(USUAL)
}

fn most() -> Duration {
    // Two seconds, or ten in a debug build on a busy machine.
    Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 2 })
}

/// Returns whether an error names a place, or reports that no format recognises the file.
fn is_placed(words: &str) -> bool {
    words.contains(':') || words.contains("--from") || words.contains("does not read")
}

#[test]
fn nothing_panics_and_all_end_soon() {
    let count = mutations();
    let mut wrong = Vec::new();
    for (path, document) in documents() {
        let seed = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .bytes()
            .fold(7, |sum: u64, byte| {
                sum.wrapping_mul(31).wrapping_add(u64::from(byte))
            });
        let mut dice = Dice(seed);
        for _ in 0..count {
            let mut changed = document.clone();
            let mut done = change(&mut changed, &mut dice);
            if dice.below(3) == 0 {
                done = format!("{done}; {}", change(&mut changed, &mut dice));
            }
            let (result, took) = tried(&changed.to_string());
            if result.is_none() || took > most() {
                wrong.push(format!(
                    "{}: {done}: {took:?}, {}",
                    path.display(),
                    if result.is_none() {
                        "a panic"
                    } else {
                        "too long"
                    }
                ));
            }
            if let Some(Err(words)) = result
                && !is_placed(&words)
            {
                wrong.push(format!(
                    "{}: {done}: says no place: {words}",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns all text of the flow and of the report.
fn told(import: &Import) -> String {
    let flow = serde_json::to_string(&import.flow).unwrap();
    format!("{flow}\n{}", serde_json::to_string(&import.report).unwrap())
}

#[test]
fn strange_values_are_reported_in_every_place() {
    let count = mutations();
    let mut silent = Vec::new();
    for (path, document) in documents() {
        let mut all = Vec::new();
        places(&document, "", &mut all);
        all.retain(|at| document.pointer(at).is_some_and(Value::is_object));
        let mut dice = Dice(all.len() as u64);
        while all.len() > count {
            let gone = dice.below(all.len());
            all.swap_remove(gone);
        }
        for at in all {
            let mut changed = document.clone();
            changed.pointer_mut(&at).unwrap()[STRANGE] = json!("a strange setting");
            if let (Some(Ok(import)), _) = tried(&changed.to_string())
                && !told(&import).contains(STRANGE)
            {
                silent.push(format!("{}: at {at}", path.display()));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Parts that do not affect what a flow does: layout and labels, declared types, data that the source system keeps for itself,
/// things that are reported as a whole (triggers, unused parts), a node's only output, and the fields around a case.
const QUIET: [&str; 44] = [
    "position",
    "x",
    "y",
    "id",
    "viewport",
    "zoom",
    "style",
    "extent",
    "width",
    "height",
    "description",
    "version",
    "metadata",
    "tags",
    "contentVersion",
    "$schema",
    "measured",
    "selected",
    "dragging",
    "label",
    "color",
    "icon",
    "nodeType",
    "kind",
    "type",
    "valueType",
    "required",
    "state_schema",
    "settings",
    "variables",
    "config",
    "triggers",
    "retryPolicy",
    "source",
    "upstream_expects",
    "expected",
    "case",
    "doc",
    "upstream_asserts",
    "sourceHandle",
    "prompts",
    "defaultValue",
    "runtimeConfiguration",
    "explicitDependencies",
];

/// Every string, number and flag of a document has an effect: changing it changes the flow or the report, or the file is
/// rejected.
#[test]
fn no_value_is_read_past() {
    let count = mutations();
    let mut silent = Vec::new();
    for (path, document) in documents() {
        let (Some(Ok(before)), _) = tried(&document.to_string()) else {
            continue;
        };
        let report = serde_json::to_string(&before.report).unwrap();
        let before = told(&before);
        let mut all = Vec::new();
        places(&document, "", &mut all);
        all.retain(|at| {
            // A part that the report lists as left out may have any value.
            let key = at.rsplit('/').next().unwrap_or_default();
            if report.contains(&format!("`{key}`")) {
                return false;
            }
            let scalar = document
                .pointer(at)
                .is_some_and(|value| !value.is_array() && !value.is_object());
            // Ports of a container have no effect if nothing reads them, so their names may change.
            let is_port = [
                "/data/inputs/",
                "/data/outputs/",
                "/data/dockSlots/",
                "/interface/",
            ]
            .iter()
            .any(|part| at.contains(part))
                || key == "targetHandle";
            let is_container = ["/shodan/", "imports/containers/"]
                .iter()
                .any(|part| path.to_string_lossy().contains(part));
            scalar && !at.split('/').any(|step| QUIET.contains(&step)) && !(is_port && is_container)
        });
        let mut dice = Dice(all.len() as u64 + 11);
        while all.len() > count {
            let gone = dice.below(all.len());
            all.swap_remove(gone);
        }
        for at in all {
            let mut changed = document.clone();
            let place = changed.pointer_mut(&at).unwrap();
            *place = match &*place {
                Value::String(text) => json!(format!("{text} {STRANGE}")),
                Value::Bool(flag) => json!(!*flag),
                Value::Number(_) => json!(7),
                _ => json!(STRANGE),
            };
            if changed == document {
                continue;
            }
            if let (Some(Ok(after)), _) = tried(&changed.to_string())
                && told(&after) == before
            {
                silent.push(format!("{}: {at}", path.display()));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// A truncated file, or one with a doubled part, is imported or rejected quickly and without a panic.
#[test]
fn what_is_cut_off_is_refused_or_read() {
    let count = mutations();
    let mut wrong = Vec::new();
    for (path, _) in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let mut dice = Dice(text.len() as u64);
        let mut cut = || {
            let mut at = dice.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        for _ in 0..count {
            let (one, other) = (cut(), cut());
            let (from, to) = (one.min(other), one.max(other));
            for changed in [
                text[..one].to_owned(),
                format!("{}{}", &text[..from], &text[to..]),
                format!("{}{}", &text[..to], &text[from..]),
            ] {
                let (result, took) = tried(&changed);
                if result.is_none() || took > most() {
                    wrong.push(format!("{} at {from} and {to}: {took:?}", path.display()));
                }
                if let Some(Err(words)) = result
                    && !is_placed(&words)
                {
                    wrong.push(format!(
                        "{} at {from}: says no place: {words}",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Collects the names that a document gives its nodes and actions.
fn named(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| named(item, into)),
        Value::Object(fields) => {
            let is_node = ["uses", "run", "body", "steps", "type", "data", "inputs"]
                .iter()
                .any(|mark| fields.contains_key(*mark));
            // Ports of a container have no effect if nothing reads them.
            let is_port = |key: &str| {
                fields.contains_key("nodeType") && ["inputs", "outputs", "dockSlots"].contains(&key)
            };
            for (key, item) in fields
                .iter()
                .filter(|(key, _)| !is_port(key) && *key != "interface")
            {
                match item {
                    Value::String(name) if is_node && (key == "name" || key == "id") => {
                        into.push(name.clone());
                    }
                    Value::Object(actions) if key == "actions" => {
                        into.extend(actions.keys().cloned());
                        named(item, into);
                    }
                    item => named(item, into),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_named_part_is_in_the_flow_or_the_report() {
    let mut silent = Vec::new();
    for (path, document) in documents() {
        let (Some(Ok(import)), _) = tried(&document.to_string()) else {
            continue;
        };
        let told = told(&import);
        let mut names = Vec::new();
        named(&document, &mut names);
        for name in names {
            let written = serde_json::to_string(&name).unwrap();
            let plain = written.trim_matches('"');
            if !told.contains(plain) {
                silent.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
