//! The process's only checker. Harper's rules are not `Send` and take a second or two to load, so they are kept on their own
//! thread. The first check or [`warm_up`] starts the thread.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{LazyLock, mpsc},
    thread,
};

use harper_core::{
    Dialect, Document,
    linting::{FlatConfig, LintGroup},
    parsers::Markdown,
};

use crate::{
    finding::{Finding, Level, PendingFinding},
    harper,
    lexicon::Lexicon,
    patterns::Patterns,
    sentences::read_sentences,
    spelling,
};

/// The text to check, and the channel for its findings.
type Request = (String, mpsc::Sender<Vec<Finding>>);

static CHECKER: LazyLock<mpsc::Sender<Request>> = LazyLock::new(|| {
    let (sender, inbox) = mpsc::channel::<Request>();
    // The tagger recurses over long sentences, so the thread needs a large stack.
    let thread = thread::Builder::new()
        .name("prose".to_owned())
        .stack_size(16 << 20);
    // If the thread cannot start, the inbox is dropped and every check finds nothing.
    let _started = thread.spawn(move || {
        let mut checker = Checker::new();
        for (text, answer) in inbox {
            let check = AssertUnwindSafe(|| checker.check(&text));
            let findings = catch_unwind(check).unwrap_or_else(|_| {
                checker = Checker::new();
                Vec::new()
            });
            // The error is ignored: if the receiver is gone, the answer is not needed.
            let _gone = answer.send(findings);
        }
    });
    sender
});

/// Loads the dictionary and the rules in the background, so that the first check does not have to wait for them.
pub fn warm_up() {
    LazyLock::force(&CHECKER);
}

/// Returns the findings about `text`, which is Markdown or plain text, in the order of the text. Findings do not overlap.
/// Code, links and front matter are skipped. Returns no findings if the checker cannot be started.
///
/// Once the rules are loaded, a check of 300 words takes some tens of milliseconds.
pub fn check(text: &str) -> Vec<Finding> {
    let (answer, answered) = mpsc::channel();
    let _stopped = CHECKER.send((text.to_owned(), answer));
    answered.recv().unwrap_or_default()
}

fn read_data() -> Result<(Lexicon, Patterns), String> {
    let lexicon = Lexicon::new()?;
    let patterns = Patterns::new(&lexicon.classes)?;
    Ok((lexicon, patterns))
}

struct Checker {
    lexicon: Lexicon,
    patterns: Patterns,
    harper: LintGroup,
}

impl Checker {
    fn new() -> Self {
        let (lexicon, patterns) =
            read_data().unwrap_or_else(|mistake| panic!("the data files are invalid: {mistake}"));
        let mut harper = LintGroup::new_curated(lexicon.dictionary.clone(), Dialect::American);
        let mut config = FlatConfig::new_curated();
        for rule in lexicon.classes.words("harper-off") {
            config.set_rule_enabled(rule, false);
        }
        harper.config = config;
        Self {
            lexicon,
            patterns,
            harper,
        }
    }

    fn check(&mut self, text: &str) -> Vec<Finding> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let Self {
            lexicon,
            patterns,
            harper,
        } = self;
        let document = Document::new(text, &Markdown::default(), &lexicon.dictionary);
        let source = document.get_source();
        let sentences = read_sentences(&document, lexicon);

        let mut findings = harper::findings(harper, lexicon, patterns, &document, &sentences);
        findings.extend(spelling::findings(lexicon, &sentences, source));
        for sentence in &sentences {
            patterns.check(lexicon, sentence, &mut findings);
        }
        findings.retain(|finding| {
            let found: String = source[finding.span.clone()].iter().collect();
            finding.replacement.as_deref() != Some(&found)
        });
        settle(findings, text)
    }
}

/// Drops findings that overlap with more important ones, and converts character positions to byte positions.
fn settle(mut findings: Vec<PendingFinding>, text: &str) -> Vec<Finding> {
    findings.sort_by_cached_key(|finding| {
        let style = finding.kind.level() == Level::Style;
        let kept = finding.replacement.is_none();
        (
            style,
            kept,
            finding.rank,
            finding.span.start,
            finding.rule.clone(),
        )
    });
    let mut kept: Vec<PendingFinding> = Vec::new();
    for finding in findings {
        // A note on a whole sentence may contain a correction, but two corrections must not overlap.
        let clash = kept.iter().any(|other| {
            other.replacement.is_some() == finding.replacement.is_some()
                && other.span.start < finding.span.end
                && finding.span.start < other.span.end
        });
        if !clash && finding.span.start < finding.span.end {
            kept.push(finding);
        }
    }
    kept.sort_by_key(|finding| (finding.span.start, finding.span.end));

    let bytes = text.char_indices().map(|(at, _)| at);
    let bytes: Vec<usize> = bytes.chain([text.len()]).collect();
    kept.into_iter()
        .filter_map(|finding| {
            let span = *bytes.get(finding.span.start)?..*bytes.get(finding.span.end)?;
            Some(Finding {
                kind: finding.kind,
                found: text.get(span.clone())?.to_owned(),
                span,
                replacement: finding.replacement,
                message: finding.message,
                rule: finding.rule,
            })
        })
        .collect()
}
