//! Harper's rules: which are asked, how their findings are classed, which of their suggestions is taken.

use harper_core::{
    Document,
    linting::{FlatConfig, Lint, LintGroup, LintKind, Suggestion},
};

use crate::{checker::Draft, finding::Kind, lexicon::with_case_of, token::Token};

/// Rules that are not asked. Spelling is ranked by [`crate::spelling`]; the others judge taste, a dialect or typography,
/// or were wrong on correct text too often.
const OFF: &[&str] = &[
    "SpellCheck",
    "LongSentences",
    "UseEllipsisCharacter",
    "NumericRangeEnDash",
    "Dashes",
    "OxfordComma",
    "NoOxfordComma",
    "NoFrenchSpaces",
    "QuoteSpacing",
    "UseTitleCase",
    "SpelledNumbers",
    "AvoidContractions",
    "BoringWords",
    "Hedging",
    "FillerWords",
    "DiscourseMarkers",
    "AvoidCurses",
    "OrthographicConsistency",
    "Spaces",
    "CompoundNouns",
    "Regionalisms",
    "Freezing",
    "DisjointPrefixes",
    "Therein",
    "MassNouns",
    "OneOfTheSingular",
    "AvoidAndAlso",
    "ModalBeAdjective",
    "EllipsisLength",
    "PluralDecades",
    "RedundantFirsts",
    "RedundantThat",
    "RepeatedWords",
    "ThatWhich",
    "SingleBe",
    "TheyToThem",
    "PronounInflectionBe",
];

pub(crate) fn configure(config: &mut FlatConfig) {
    for rule in OFF {
        config.set_rule_enabled(rule, false);
    }
}

pub(crate) fn drafts(
    group: &mut LintGroup,
    document: &Document,
    sentences: &[Vec<Token>],
) -> Vec<Draft> {
    let source = document.get_source();
    let mut out = Vec::new();
    for (rule, lints) in group.organized_lints(document) {
        for lint in lints {
            if lint.span.end > source.len() || lint.span.start >= lint.span.end {
                continue;
            }
            let found = lint.get_str(source);
            let kind = kind(&rule, lint.lint_kind);
            let replacement = lint
                .suggestions
                .first()
                .map(|suggestion| written(suggestion, &found));
            // Cutting a word at the start of a line or a sentence leaves a mess; so does joining lines.
            if found.contains('\n') && kind != Kind::Repetition {
                continue;
            }
            // Half of a hyphenated word is not the word: "the re-used".
            let hyphen = |at: Option<usize>| at.and_then(|at| source.get(at)) == Some(&'-');
            if hyphen(Some(lint.span.end)) || hyphen(lint.span.start.checked_sub(1)) {
                continue;
            }
            if touches_name(&lint, sentences, kind)
                || doubtful(&rule, &lint, replacement.as_deref(), sentences)
            {
                continue;
            }
            out.push(Draft {
                kind,
                span: lint.span.start..lint.span.end,
                replacement,
                message: plain(&lint.message),
                rule: format!("harper/{rule}"),
                rank: 100 + u16::from(lint.priority),
            });
        }
    }
    out
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
        sentence.iter().enumerate().skip(1).any(|(_, token)| {
            token.is_word
                && token.capitalised()
                && token.lower != "i"
                && !token.lower.starts_with("i'")
                && token.span.start < lint.span.end
                && lint.span.start < token.span.end
        })
    })
}

/// Rules that are right on some words only.
fn doubtful(rule: &str, lint: &Lint, replacement: Option<&str>, sentences: &[Vec<Token>]) -> bool {
    // "Every one of them" is three words, "everyone" is nobody's member.
    if replacement.is_some_and(|with| with.eq_ignore_ascii_case("everyone")) {
        return sentences.iter().any(|sentence| {
            sentence
                .windows(2)
                .any(|pair| pair[0].span.end == lint.span.end && pair[1].is("of"))
        });
    }
    match rule {
        // "allways" is a slip of "always", not "all ways" run together.
        "SplitWords"
            if sentences
                .iter()
                .flatten()
                .any(|token| token.span.start == lint.span.start && token.is("allways")) =>
        {
            true
        }
        // `aswell`, `eachother`; but `coppersmith` is a word that the dictionary lacks.
        "SplitWords" => !replacement
            .unwrap_or_default()
            .to_lowercase()
            .split(' ')
            .any(|part| {
                [
                    "a", "in", "as", "each", "of", "to", "the", "at", "all", "no", "any", "every",
                    "so", "is", "it", "and",
                ]
                .contains(&part)
            }),
        // "She ground the glass": a past form that is another verb's base form.
        "PronounVerbAgreement" => sentences.iter().flatten().any(|token| {
            token.span.start == lint.span.start
                && token
                    .meta
                    .as_ref()
                    .is_some_and(|meta| meta.is_verb_past_form() || meta.is_verb_simple_past_form())
        }),
        // "What I need are shoes."
        "MissingTo" => sentences.iter().any(|sentence| {
            sentence.windows(2).any(|pair| {
                pair[0].span.start == lint.span.start && pair[1].any(&["is", "are", "was", "were"])
            })
        }),
        // "They went there yesterday."
        "ThereToTheir" => sentences.iter().any(|sentence| {
            sentence.windows(2).any(|pair| {
                pair[0].span.start == lint.span.start
                    && (pair[1].tagged(&[harper_brill::UPOS::ADV])
                        || pair[1].any(&[
                            "yesterday",
                            "today",
                            "tomorrow",
                            "tonight",
                            "people",
                            "days",
                        ]))
            })
        }),
        "ThereIsAgreement" => replacement.is_some_and(|with| with.contains("rather")),
        _ => false,
    }
}

/// Harper writes Markdown; a finding is read as plain text.
fn plain(message: &str) -> String {
    message.replace('`', "“").split('“').enumerate().fold(
        String::new(),
        |mut out, (index, part)| {
            if index > 0 {
                out.push(if index % 2 == 1 { '“' } else { '”' });
            }
            out.push_str(part);
            out
        },
    )
}
