//! Harper's rules: which are asked, how their findings are classed, which of their suggestions is taken.

use harper_core::{
    Document,
    linting::{Lint, LintGroup, LintKind, Suggestion},
};

use crate::{
    finding::{Kind, PendingFinding},
    lexicon::{Lexicon, with_case_of},
    sentences::Token,
};

pub(crate) fn findings(
    group: &mut LintGroup,
    lexicon: &Lexicon,
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
        let kind = kind(rule, lint.lint_kind);
        let replacement = lint
            .suggestions
            .first()
            .map(|suggestion| written(suggestion, &found));
        // Half of a hyphenated word is not the word: "the re-used". Nor are lines joined.
        let hyphen = |at: Option<usize>| at.and_then(|at| source.get(at)) == Some(&'-');
        let part = hyphen(Some(lint.span.end)) || hyphen(lint.span.start.checked_sub(1));
        let joins = found.contains('\n') && kind != Kind::Repetition;
        let doubtful = touches_name(lint, sentences, kind)
            || is_doubtful(lexicon, rule, lint, replacement.as_deref(), sentences);
        (!part && !joins && !doubtful).then(|| PendingFinding {
            kind,
            span: lint.span.start..lint.span.end,
            replacement,
            message: plain(&lint.message),
            rule: format!("harper/{rule}"),
            rank: 100 + u16::from(lint.priority),
        })
    });
    findings.collect()
}

fn kind(rule: &str, kind: LintKind) -> Kind {
    match (rule, kind) {
        ("ThenThan" | "WereWhere" | "QuiteQuiet", _) => Kind::ConfusedWords,
        ("AnA", _) => Kind::Grammar,
        (_, LintKind::Spelling | LintKind::Typo | LintKind::BoundaryError) => Kind::Spelling,
        (_, LintKind::Repetition) => Kind::Repetition,
        (_, LintKind::Capitalization) => Kind::Capitalization,
        (_, LintKind::Agreement) => Kind::Agreement,
        (_, LintKind::WordChoice | LintKind::Malapropism | LintKind::Eggcorn) => {
            Kind::ConfusedWords
        }
        (_, LintKind::Punctuation) => Kind::Punctuation,
        (_, LintKind::Redundancy) => Kind::Wordiness,
        (
            _,
            LintKind::Enhancement
            | LintKind::Formatting
            | LintKind::Readability
            | LintKind::Regionalism
            | LintKind::Style,
        ) => Kind::Clarity,
        _ => Kind::Grammar,
    }
}

fn written(suggestion: &Suggestion, found: &str) -> String {
    match suggestion {
        Suggestion::ReplaceWith(chars) => {
            let with: String = chars.iter().collect();
            // A single capital letter is a capitalised word, not one in capitals: `A` → `An`.
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

/// Names are not ours to change: a capitalised word within a sentence is only let through where capitals or repetition
/// are the matter.
fn touches_name(lint: &Lint, sentences: &[Vec<Token>], kind: Kind) -> bool {
    if matches!(kind, Kind::Capitalization | Kind::Repetition) {
        return false;
    }
    sentences.iter().any(|sentence| {
        sentence.iter().skip(1).any(|token| {
            token.is_word
                && token.is_capitalised()
                && token.lower != "i"
                && !token.lower.starts_with("i'")
                && token.span.start < lint.span.end
                && lint.span.start < token.span.end
        })
    })
}

/// Whether a rule that is right on some words only was found on others.
fn is_doubtful(
    lexicon: &Lexicon,
    rule: &str,
    lint: &Lint,
    replacement: Option<&str>,
    sentences: &[Vec<Token>],
) -> bool {
    let with = replacement.unwrap_or_default().to_lowercase();
    let first = sentences.iter().find_map(|sentence| {
        let at = sentence
            .iter()
            .position(|token| token.span.start == lint.span.start)?;
        Some((&sentence[at], sentence.get(at + 1)))
    });
    let first_is = |test: &dyn Fn(&Token) -> bool| first.is_some_and(|(token, _)| test(token));
    let next_is = |class| {
        first.is_some_and(|(_, next)| next.is_some_and(|next| lexicon.classes.has(class, next)))
    };
    match rule {
        // "Every one of them" is three words, "everyone" is nobody's member.
        _ if with == "everyone" => sentences.iter().any(|sentence| {
            let mut pairs = sentence.windows(2);
            pairs.any(|pair| pair[0].span.end == lint.span.end && pair[1].lower == "of")
        }),
        // `aswell`, `eachother`; but `coppersmith` is a word that the dictionary lacks, and "allways" a slip of "always".
        "SplitWords" => {
            let small = |part| lexicon.classes.lists("split-off", part);
            first_is(&|token| token.lower == "allways") || !with.split(' ').any(small)
        }
        // "She ground the glass": a past form that is another verb's base form.
        "PronounVerbAgreement" => first_is(&Token::is_past),
        // "What I need are shoes." "They went there yesterday."
        "MissingTo" => next_is("copulas"),
        "ThereToTheir" => next_is("after-there"),
        "ThereIsAgreement" => with.contains("rather"),
        _ => false,
    }
}

/// Harper writes Markdown; a finding is read as plain text.
fn plain(message: &str) -> String {
    let mut open = false;
    let quoted = message.chars().map(|letter| match letter {
        '`' | '“' => {
            open = !open;
            if open { '“' } else { '”' }
        }
        other => other,
    });
    quoted.collect()
}
