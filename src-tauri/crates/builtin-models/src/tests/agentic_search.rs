//! Runs the agentic search loop over question sets: planner, search, answerer, judge, appended evidence.
//!
//! A hash of their ids splits the questions of each set into two halves. The method was developed on one half. Both halves were
//! used to decide which of its rules could be removed, so the held-out half no longer measures the effect of tuning.
//!
//! `cargo test -p loopwright-builtin-models agentic_search -- --nocapture` prints the tables.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use loopwright_engine::host::{ModelRequest, ToolContext, Tools as _};
use loopwright_tools::{ToolSet, ToolSettings};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::builtin;

const MAX_ITERATIONS: usize = 5;
/// The number of results per search in the bundled template.
const RESULTS: usize = 3;

#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    question: String,
    searches: usize,
    articles: Vec<String>,
    answer: Option<String>,
}

struct Outcome {
    done: bool,
    iterations: usize,
    output: String,
    log: Vec<String>,
}

async fn ask(folder: Option<PathBuf>, data: &Path, question: &str) -> Outcome {
    let tools = ToolSet::new(&ToolSettings {
        data_dir: data.to_owned(),
        documents_folder: folder,
        ..ToolSettings::default()
    });
    let search = tools.find("search.documents").unwrap();
    let model = |id: &str, prompt: &str, context: Option<&Value>, choices: &[&str]| {
        let request = ModelRequest {
            prompt: prompt.to_owned(),
            context: context.cloned(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            ..ModelRequest::default()
        };
        builtin(id).unwrap().answer(&request).unwrap()
    };
    let mut body = question.to_owned();
    let mut log = Vec::new();
    let mut output = String::new();
    for iteration in 1..=MAX_ITERATIONS {
        let query = model("planner", &body, None, &[]).text;
        let mut args = Map::new();
        args.insert("limit".into(), RESULTS.into());
        let found = search
            .call(Some(json!(query)), args, ToolContext::default())
            .await
            .unwrap();
        output = model("answerer", &body, Some(&found), &[]).text;
        let evidence = render(&found);
        let prompt = format!("{body}\n---\n{evidence}\n---\nDraft answer:\n{output}");
        let verdict = model("judge", &prompt, None, &["done", "continue"])
            .json
            .unwrap();
        let titles: Vec<_> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap())
            .collect();
        log.push(format!(
            "   {iteration}. {query}  -> {}  {}: {}",
            titles.join(" "),
            verdict["branch"],
            verdict["reason"]
        ));
        if verdict["branch"] == "done" {
            return Outcome {
                done: true,
                iterations: iteration,
                output,
                log,
            };
        }
        body = format!(
            "{body}\n---\nSearched for: {query}\n\n{evidence}Still missing: {}",
            verdict["reason"].as_str().unwrap()
        );
    }
    Outcome {
        done: false,
        iterations: MAX_ITERATIONS,
        output,
        log,
    }
}

fn render(found: &Value) -> String {
    let hits = found.as_array().unwrap().iter().map(|hit| {
        let text = |name: &str| hit[name].as_str().unwrap_or_default().to_owned();
        format!(
            "[{}]({})\n{}\n\n",
            text("title"),
            text("path"),
            text("text")
        )
    });
    hits.collect()
}

/// Returns whether a question is in the held-out half. The hash is FNV-1a, because it never changes, so that no question
/// moves to the other half.
fn held_out(id: &str) -> bool {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 8) & 1 == 1
}

fn contains(text: &str, answer: &str) -> bool {
    text.to_lowercase().contains(&answer.to_lowercase())
}

#[tokio::test]
async fn the_sample_collection_is_searched_as_often_as_needed() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/collection/questions.json");
    let root = env::var("QUESTIONS").map_or(own, PathBuf::from);
    let questions: Vec<Question> =
        serde_json::from_str(&fs::read_to_string(root).unwrap()).unwrap();
    let data = tempfile::tempdir().unwrap();
    let verbose = env::var("VERBOSE").is_ok();
    let mut tally: BTreeMap<(bool, usize), [usize; 3]> = BTreeMap::new();
    for question in &questions {
        let outcome = ask(None, data.path(), &question.question).await;
        let cited = question
            .articles
            .iter()
            .all(|article| outcome.output.contains(&format!("({article})")));
        let answered = question
            .answer
            .as_ref()
            .is_none_or(|answer| contains(&outcome.output, answer));
        let in_time = match question.searches {
            0 => !outcome.done,
            1 => outcome.done && outcome.iterations == 1,
            needed => outcome.done && (2..=needed + 1).contains(&outcome.iterations),
        };
        let right = outcome.done == (question.searches > 0)
            && (question.searches == 0 || cited && answered);
        let held = held_out(&question.id) && env::var("QUESTIONS").is_err();
        let counts = tally.entry((held, question.searches)).or_default();
        counts[0] += 1;
        counts[1] += usize::from(right);
        counts[2] += usize::from(right && in_time);
        if !held || !verbose {
            println!(
                "{} {:36} needs {} took {}{} cited {} answer {}",
                if right && in_time {
                    "ok  "
                } else if right {
                    "time"
                } else {
                    "FAIL"
                },
                question.id,
                question.searches,
                outcome.iterations,
                if outcome.done { " done" } else { "     " },
                u8::from(cited),
                u8::from(answered)
            );
            if verbose && !(right && in_time) {
                println!(
                    "   {}\n{}\n   = {}",
                    question.question,
                    outcome.log.join("\n"),
                    outcome.output.replace('\n', "\n   | ")
                );
            }
        }
    }
    println!("half      searches  questions  right  right and in time");
    let mut total = [0; 3];
    for ((held, searches), counts) in &tally {
        let half = if *held { "held out" } else { "tuned on" };
        println!(
            "{half:9} {searches:8} {:10} {:6} {:6}",
            counts[0], counts[1], counts[2]
        );
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    println!(
        "all                {:10} {:6} {:6}",
        total[0], total[1], total[2]
    );
    for (searches, floor) in FLOORS.iter().enumerate() {
        let of = |half: bool| tally.get(&(half, searches)).copied().unwrap_or_default();
        let (one, other) = (of(true), of(false));
        let (asked, right) = (one[0] + other[0], one[1] + other[1]);
        assert!(
            right * 100 >= asked * floor,
            "{right} of {asked} right that need {searches} searches"
        );
    }
}

/// The minimum percentage of sample questions that must be answered correctly, by the number of searches that they need. The
/// first number is for questions that the collection does not answer.
const FLOORS: [usize; 4] = [100, 90, 75, 70];

#[derive(Debug, Deserialize)]
struct Case {
    dataset: String,
    qid: String,
    question: String,
    answer: String,
    gold_titles: Vec<String>,
    passages: Vec<CasePassage>,
}

#[derive(Debug, Deserialize)]
struct CasePassage {
    title: String,
    text: String,
}

/// Runs the loop over external collections of articles. The results are printed, and there is no required minimum.
#[tokio::test]
async fn other_collections_can_be_asked() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases/multihop-qa");
    let Ok(entries) = fs::read_dir(&cases) else {
        println!("no multihop-qa cases here");
        return;
    };
    let verbose = env::var("VERBOSE").is_ok();
    let mut tally: BTreeMap<(String, bool), [usize; 4]> = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            for (at, passage) in case.passages.iter().enumerate() {
                let text = format!("# {}\n\n{}\n", passage.title, passage.text);
                fs::write(folder.path().join(format!("{at}.md")), text).unwrap();
            }
            let outcome = ask(Some(folder.path().to_owned()), data.path(), &case.question).await;
            let cited = case
                .gold_titles
                .iter()
                .all(|title| outcome.output.contains(&format!("[{title}](")));
            let answered = contains(&outcome.output, &case.answer);
            let held = held_out(&case.qid);
            let counts = tally.entry((case.dataset.clone(), held)).or_default();
            counts[0] += 1;
            counts[1] += usize::from(outcome.done);
            counts[2] += usize::from(outcome.done && answered);
            counts[3] += usize::from(outcome.done && answered && cited);
            if verbose && !held && !(outcome.done && answered) {
                println!(
                    "{} [{}]\n{}\n   = {}",
                    case.question,
                    case.answer,
                    outcome.log.join("\n"),
                    outcome.output.replace('\n', "\n   | ")
                );
            }
        }
    }
    println!("set              half      questions  done  with the answer  with all articles");
    for ((set, held), counts) in &tally {
        let half = if *held { "held out" } else { "tuned on" };
        println!(
            "{set:16} {half:9} {:9} {:5} {:16} {:18}",
            counts[0], counts[1], counts[2], counts[3]
        );
        assert!(counts[0] > 0);
    }
}
