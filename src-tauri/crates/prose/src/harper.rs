//! Harper's rules: which are enabled, how their findings are classified, and which of their suggestions are used.

use harper_core::{
    Document,
    linting::{Lint, LintGroup, Suggestion},
};

use crate::{
    finding::{Kind, PendingFinding},
    lexicon::{Lexicon, with_case_of},
    patterns::Patterns,
    token::Token,
};

pub(crate) fn findings(
    group: &mut LintGroup,
    lexicon: &Lexicon,
    patterns: &Patterns,
    document: &Document,
    sentences: &[Vec<Token>],
) -> Vec<PendingFinding> {
    let source = document.get_source();
    let lints = group.organized_lints(document);
    let lints = lints
        .iter()
        .flat_map(|(rule, lints)| lints.iter().map(move |lint| (rule, lint)))
        .filter(|(_, lint)| lint.span.end <= source.len() && lint.span.start < lint.span.end);
    let findings = lints.filter_map(|(rule, lint)| {
        let found = lint.get_str(source);
        let kind = kind(lexicon, rule, lint);
        let suggestion = lint.suggestions.first();
        // Findings about half of a hyphenated word, as in "the re-used", and findings that span several lines are dropped.
        let hyphen = |at: Option<usize>| at.and_then(|at| source.get(at)) == Some(&'-');
        let part = hyphen(Some(lint.span.end)) || hyphen(lint.span.start.checked_sub(1));
        let joins = found.contains('\n') && kind != Kind::Repetition;
        let doubtful = || is_doubtful(patterns, rule, lint, kind, sentences);
        (!part && !joins && !doubtful()).then(|| PendingFinding {
            kind,
            span: lint.span.start..lint.span.end,
            replacement: suggestion.map(|suggestion| written(suggestion, &found)),
            message: plain(&lint.message),
            rule: format!("harper/{rule}"),
            rank: 100 + u16::from(lint.priority),
        })
    });
    findings.collect()
}

/// Converts Harper's Markdown message to plain text, with the same quotation marks as other findings.
fn plain(message: &str) -> String {
    let mut marks = ['“', '”'].into_iter().cycle();
    let letters = message.chars().map(|letter| match letter {
        '`' => marks.next().unwrap_or(letter),
        letter => letter,
    });
    letters.collect()
}

/// Returns the kind of a finding. `data/words.txt` lists kinds by the name of the rule or, as a fallback, by Harper's own
/// kind. Any other finding is about grammar.
fn kind(lexicon: &Lexicon, rule: &str, lint: &Lint) -> Kind {
    let own = lint.lint_kind.to_string_key();
    let lists = |kind: Kind, name: &str| lexicon.classes.lists(kind.name(), name);
    let listed = |name| Kind::all().find(|&kind| lists(kind, name));
    listed(rule)
        .or_else(|| listed(&own))
        .unwrap_or(Kind::Grammar)
}

fn written(suggestion: &Suggestion, found: &str) -> String {
    match suggestion {
        Suggestion::ReplaceWith(chars) => {
            let with: String = chars.iter().collect();
            // A single capital letter counts as a capitalised word, not as a word in capitals: `A` → `An`.
            if found.chars().count() == 1 && with.chars().count() > 1 && found != "I" {
                with_case_of(found, &with.to_lowercase())
            } else {
                with
            }
        }
        Suggestion::InsertAfter(chars) => format!("{found}{}", chars.iter().collect::<String>()),
        Suggestion::Remove => String::new(),
    }
}

/// Returns whether a finding should be dropped, because `data/patterns.txt` excuses it or because it would change a name. A
/// capitalised word within a sentence counts as a name, except for findings about capitals or repetition.
fn is_doubtful(
    patterns: &Patterns,
    rule: &str,
    lint: &Lint,
    kind: Kind,
    sentences: &[Vec<Token>],
) -> bool {
    let (from, to) = (lint.span.start, lint.span.end);
    sentences.iter().any(|sentence| {
        let touched = |&at: &usize| sentence[at].span.start < to && from < sentence[at].span.end;
        let mut touched = (0..sentence.len()).filter(touched);
        touched.any(|at| {
            let token = &sentence[at];
            let first_person = token.lower == "i" || token.lower.starts_with("i'");
            let name = at > 0 && token.is_word && token.is_capitalised() && !first_person;
            name && !matches!(kind, Kind::Capitalization | Kind::Repetition)
                || token.span.start == from && patterns.excuse(rule, sentence, at)
        })
    })
}
