//! The one checker of the process. Harper's rules are not `Send`, and take a second or two to load: they live on a
//! thread of their own, started by the first check or by [`warm_up`].

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
    draft::Draft,
    finding::{Finding, Level},
    harper,
    lexicon::Lexicon,
    patterns::Patterns,
    repetition,
    sentences::read_sentences,
    spelling,
};

/// A text, and where its findings are sent.
type Request = (String, mpsc::Sender<Vec<Finding>>);

static CHECKER: LazyLock<mpsc::Sender<Request>> = LazyLock::new(|| {
    let (sender, inbox) = mpsc::channel::<Request>();
    // The tagger is recursive over long sentences.
    let thread = thread::Builder::new()
        .name("prose".to_owned())
        .stack_size(16 << 20);
    // Without the thread the inbox is gone, and every check finds nothing.
    let _started = thread.spawn(move || {
        let mut checker = Checker::new();
        for (text, answer) in inbox {
            let check = AssertUnwindSafe(|| checker.check(&text));
            let findings = catch_unwind(check).unwrap_or_else(|_| {
                checker = Checker::new();
                Vec::new()
            });
            // The asker may have gone: then nobody needs the answer.
            let _gone = answer.send(findings);
        }
    });
    sender
});

/// Starts loading the dictionary and the rules, so that the first check need not wait for them.
pub fn warm_up() {
    LazyLock::force(&CHECKER);
}

/// What could be better in `text` (Markdown or plain), in the order of the text. Findings do not overlap. Code, links
/// and front matter are not looked at.
///
/// A warm check of 300 words takes some tens of milliseconds.
pub fn check(text: &str) -> Vec<Finding> {
    let (answer, answered) = mpsc::channel();
    let _stopped = CHECKER.send((text.to_owned(), answer));
    answered.recv().unwrap_or_default()
}

struct Checker {
    lexicon: Lexicon,
    patterns: Patterns,
    harper: LintGroup,
}

impl Checker {
    fn new() -> Self {
        let loaded = Lexicon::new().and_then(|lexicon| {
            let patterns = Patterns::read(include_str!("../data/patterns.txt"), &lexicon.classes)?;
            Ok((lexicon, patterns))
        });
        let (lexicon, patterns) =
            loaded.unwrap_or_else(|mistake| panic!("the data files: {mistake}"));
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
        let document = Document::new(text, &Markdown::default(), &self.lexicon.dictionary);
        let source = document.get_source();
        let sentences = read_sentences(&document, &self.lexicon);

        let mut drafts = harper::drafts(&mut self.harper, &self.lexicon, &document, &sentences);
        drafts.extend(spelling::drafts(&self.lexicon, &sentences, source));
        for sentence in &sentences {
            repetition::check(&self.lexicon, sentence, &mut drafts);
            self.patterns.check(&self.lexicon, sentence, &mut drafts);
        }
        drafts.retain(|draft| {
            let found: String = source[draft.span.clone()].iter().collect();
            draft.replacement.as_deref() != Some(&found)
        });
        settle(drafts, text)
    }
}

/// Drops what overlaps something more important and turns characters into bytes.
fn settle(mut drafts: Vec<Draft>, text: &str) -> Vec<Finding> {
    drafts.sort_by(|a, b| {
        let key = |draft: &Draft| {
            (
                draft.kind.level() == Level::Style,
                draft.replacement.is_none(),
                draft.rank,
                draft.span.start,
            )
        };
        key(a).cmp(&key(b)).then_with(|| a.rule.cmp(&b.rule))
    });
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        // A note on a whole sentence may surround a correction; two corrections may not meet.
        let clash = kept.iter().any(|other| {
            other.replacement.is_some() == draft.replacement.is_some()
                && other.span.start < draft.span.end
                && draft.span.start < other.span.end
        });
        if !clash && draft.span.start < draft.span.end {
            kept.push(draft);
        }
    }
    kept.sort_by_key(|draft| (draft.span.start, draft.span.end));

    let bytes: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    kept.into_iter()
        .filter_map(|draft| {
            let span = *bytes.get(draft.span.start)?..*bytes.get(draft.span.end)?;
            Some(Finding {
                kind: draft.kind,
                found: text.get(span.clone())?.to_owned(),
                span,
                replacement: draft.replacement,
                message: draft.message,
                rule: draft.rule,
            })
        })
        .collect()
}
