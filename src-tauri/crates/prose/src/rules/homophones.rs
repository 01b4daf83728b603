//! Words that sound or look alike but are different parts of speech: the place in the sentence tells which is meant.
//!
//! One table; a row says in which place a word is surely a slip for another. To add a pair is to add a row.

use harper_brill::UPOS;

use super::{
    BE_FORMS, DETERMINERS, DO_FORMS, MODALS, OBJECT_PRONOUNS, POSSESSIVES, SUBJECT_PRONOUNS,
    replace,
};
use crate::{checker::Draft, finding::Kind, lexicon::Lexicon, token::Token};

/// A place in a sentence where only one part of speech can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After `to` or a modal, before an object: "to _ the book".
    Infinitive,
    /// After a subject pronoun, before an object or a clause: "they _ that".
    Finite,
    /// After a determiner, before the end of the phrase: "a _ of", "the _ is".
    Noun,
    /// After a determiner and before a noun: "the _ day".
    Modifier,
    /// After a form of be or a word of degree, at the end of the phrase: "is very _."
    Predicate,
    /// After a verb of motion, before a phrase: "walked _ the house".
    Direction,
    /// After `have` or `be`, before an object or a preposition: "has _ to".
    Participle,
}

use Place::{Direction, Finite, Infinitive, Modifier, Noun, Participle, Predicate};

/// (written, place, meant)
const ROWS: &[(&str, Place, &str)] = &[
    ("by", Infinitive, "buy"),
    ("bye", Infinitive, "buy"),
    ("sea", Infinitive, "see"),
    ("see", Noun, "sea"),
    ("here", Infinitive, "hear"),
    ("here", Finite, "hear"),
    ("right", Infinitive, "write"),
    ("where", Infinitive, "wear"),
    ("ware", Infinitive, "wear"),
    ("meat", Infinitive, "meet"),
    ("meet", Noun, "meat"),
    ("no", Infinitive, "know"),
    ("now", Infinitive, "know"),
    ("now", Finite, "know"),
    ("no", Finite, "know"),
    ("new", Finite, "knew"),
    ("knew", Modifier, "new"),
    ("one", Finite, "won"),
    ("through", Finite, "threw"),
    ("threw", Direction, "through"),
    ("past", Finite, "passed"),
    ("past", Participle, "passed"),
    ("passed", Direction, "past"),
    ("passed", Modifier, "past"),
    ("lead", Participle, "led"),
    ("loose", Infinitive, "lose"),
    ("loose", Finite, "lose"),
    ("lose", Modifier, "loose"),
    ("lose", Predicate, "loose"),
    ("lose", Noun, "loss"),
    ("choose", Noun, "choice"),
    ("except", Infinitive, "accept"),
    ("except", Finite, "accept"),
    ("advice", Infinitive, "advise"),
    ("advice", Finite, "advise"),
    ("advise", Noun, "advice"),
    ("breath", Infinitive, "breathe"),
    ("breathe", Noun, "breath"),
    ("effect", Infinitive, "affect"),
    ("affect", Noun, "effect"),
    ("believe", Noun, "belief"),
    ("belief", Infinitive, "believe"),
    ("belief", Finite, "believe"),
    ("prove", Noun, "proof"),
    ("proof", Infinitive, "prove"),
    ("brake", Infinitive, "break"),
    ("brake", Finite, "break"),
    ("steel", Infinitive, "steal"),
    ("sail", Infinitive, "sell"),
    ("weight", Infinitive, "wait"),
    ("weak", Predicate, "weak"),
    ("week", Predicate, "weak"),
    ("hole", Modifier, "whole"),
    ("quiet", Modifier, "quiet"),
    ("quite", Predicate, "quiet"),
    ("peace", Noun, "piece"),
    ("brought", Infinitive, "bring"),
    ("weather", Direction, "whether"),
    ("whether", Noun, "weather"),
    ("were", Infinitive, "wear"),
    ("their", Predicate, "there"),
    ("plane", Predicate, "plain"),
    ("device", Infinitive, "devise"),
    ("life", Infinitive, "live"),
    ("live", Noun, "life"),
    ("sew", Predicate, "so"),
    ("wont", Finite, "won't"),
    ("bare", Infinitive, "bear"),
    ("pray", Noun, "prey"),
    ("waist", Infinitive, "waste"),
    ("waist", Noun, "waste"),
];

pub(super) fn check(_: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for at in 1..sentence.len() {
        let token = &sentence[at];
        for (written, place, meant) in ROWS {
            if written != meant && token.is(written) && stands(*place, sentence, at, written) {
                out.push(replace(
                    Kind::ConfusedWords,
                    "homophone",
                    token,
                    meant,
                    format!("“{}” does not fit here; “{meant}” does.", token.lower),
                ));
                break;
            }
        }
    }
}

fn object(token: &Token) -> bool {
    token.any(DETERMINERS) && !token.is("no")
        || token.any(POSSESSIVES)
        || token.any(OBJECT_PRONOUNS)
        || token.is_number
}

fn clause(token: &Token) -> bool {
    token.any(&[
        "that", "what", "how", "why", "if", "whether", "who", "where", "when", "which",
    ])
}

fn ends(next: Option<&Token>) -> bool {
    next.is_none_or(|next| {
        !next.is_word || next.any(&["and", "but", "or", "because", "when", "so"])
    })
}

fn stands(place: Place, sentence: &[Token], at: usize, written: &str) -> bool {
    let before = &sentence[at - 1];
    let two_before = at.checked_sub(2).map(|at| &sentence[at]);
    let next = sentence.get(at + 1);
    let takes_object = next.is_some_and(|next| object(next) || clause(next));
    match place {
        Infinitive => {
            let opened = before.any(MODALS)
                || before.any(&["don't", "didn't", "doesn't", "never", "please"])
                || before.is("to")
                    && !two_before
                        .is_some_and(|token| token.any(&["due", "close", "next", "thanks"]));
            let fits = takes_object
                || matches!(written, "loose" | "weight" | "breath" | "life" | "brake")
                    && next.is_none_or(|next| {
                        !next.is_word
                            || next.tagged(&[
                                UPOS::ADP,
                                UPOS::ADV,
                                UPOS::NOUN,
                                UPOS::ADJ,
                                UPOS::SCONJ,
                                UPOS::CCONJ,
                                UPOS::PART,
                            ])
                    })
                || next.is_some_and(|next| {
                    next.tagged(&[UPOS::NOUN, UPOS::PROPN])
                        && matches!(
                            written,
                            "by" | "loose"
                                | "meat"
                                | "effect"
                                | "steel"
                                | "sea"
                                | "except"
                                | "advice"
                                | "where"
                                | "waist"
                        )
                });
            // "will no longer", "to right away", "can now the"
            opened
                && fits
                && !(matches!(written, "now" | "no" | "here" | "right" | "by")
                    && before.any(MODALS)
                    && !takes_object)
                && !(matches!(written, "by" | "here" | "now" | "where" | "were" | "right")
                    && before.any(&["never"]))
                && !(matches!(written, "where" | "were" | "here" | "now" | "right")
                    && before.is("to")
                    && !takes_object)
                && !(written == "where" && before.is("to"))
        }
        Finite => {
            let opened = before.any(SUBJECT_PRONOUNS)
                && !before.is("who")
                && two_before.is_none_or(|token| {
                    !token.any(DO_FORMS)
                        && !token.any(BE_FORMS)
                        && !token.any(MODALS)
                        && !token.any(&["of", "than", "to", "for", "with", "give", "gave", "as"])
                });
            let fits = match written {
                // "you now the", "it here that": only before a clause.
                "now" | "no" | "here" | "new" => {
                    next.is_some_and(clause) && !before.is("it")
                        || written == "new"
                            && next.is_some_and(|next| {
                                next.any(&["him", "her", "it", "them", "everyone"])
                            })
                }
                "one" | "through" | "past" => {
                    next.is_some_and(|next| next.any(DETERMINERS) || next.any(POSSESSIVES))
                        && !before.any(&["it", "you"])
                }
                "wont" => next.is_some_and(Token::can_be_verb),
                _ => takes_object || next.is_some_and(|next| next.tagged(&[UPOS::NOUN, UPOS::ADJ])),
            };
            opened && fits
        }
        Noun => {
            let opened = before.any(&[
                "a", "an", "the", "this", "some", "any", "his", "my", "your", "our", "their",
                "its", "good", "bad", "great", "deep", "much", "enough", "big", "huge", "little",
            ]);
            let fits = match written {
                "peace" => before.any(&["a"]) && next.is_some_and(|next| next.is("of")),
                "see" => {
                    before.any(&["the"])
                        && (ends(next) || next.is_some_and(|next| next.any(BE_FORMS)))
                }
                "meet" => {
                    before.any(&["the", "some", "much", "any"])
                        && ends(next)
                        && !two_before.is_some_and(|token| token.any(&["at", "during"]))
                }
                "whether" => {
                    before.any(&["the", "bad", "good", "great", "this"])
                        && (ends(next)
                            || next.is_some_and(|next| {
                                next.any(BE_FORMS) || next.any(&["forecast", "turned", "in", "for"])
                            }))
                }
                "live" => {
                    before.any(&["his", "my", "your", "our", "their", "a", "good", "great"])
                        && ends(next)
                        && !before.is("their")
                }
                "pray" => before.any(&["its", "the", "their"]),
                "waist" => {
                    before.any(&["a", "great", "big", "huge"])
                        && next.is_some_and(|next| next.is("of"))
                }
                _ => {
                    ends(next)
                        || next.is_some_and(|next| {
                            next.any(BE_FORMS)
                                || next.any(MODALS)
                                || next.any(&[
                                    "of", "on", "in", "for", "from", "about", "to", "that", "has",
                                    "had", "with", "at",
                                ])
                        })
                }
            };
            // "the affect" is right in psychology only; "a breathe" never is.
            opened && fits
        }
        Modifier => {
            let opened = before.any(DETERMINERS) || before.any(POSSESSIVES);
            let noun = next.is_some_and(|next| {
                next.tagged(&[UPOS::NOUN]) || next.can_be_noun() && !next.can_be_verb()
            });
            let fits = match written {
                "hole" => {
                    next.is_some_and(|next| next.tagged(&[UPOS::NOUN]))
                        && !next.is_some_and(|next| next.any(&["punch", "puncher", "saw", "size"]))
                }
                "passed" => next.is_some_and(|next| {
                    next.any(&[
                        "week",
                        "month",
                        "year",
                        "years",
                        "weeks",
                        "months",
                        "days",
                        "decade",
                        "few",
                        "two",
                        "three",
                        "five",
                        "century",
                        "century",
                        "summer",
                        "winter",
                        "experience",
                        "experiences",
                    ])
                }),
                "lose" => noun && before.any(&["a", "the", "his", "her", "my"]),
                _ => noun,
            };
            opened && fits
        }
        Predicate => {
            let opened = before.any(BE_FORMS)
                || before.any(&[
                    "very", "too", "so", "felt", "feel", "feels", "stay", "keep", "became",
                    "become", "stayed", "kept", "pretty", "really", "went",
                ]);
            let fits = match written {
                "week" => {
                    before.any(&[
                        "very", "too", "so", "felt", "feel", "feels", "became", "become", "was",
                        "were", "is", "are",
                    ]) && ends(next)
                        && !before.any(&["is", "was"])
                }
                "lose" => {
                    before.any(&["too", "very", "so", "was", "is", "are", "were"]) && ends(next)
                }
                "their" => ends(next),
                _ => ends(next),
            };
            opened && fits
        }
        Direction => {
            if written == "weather" {
                let asking = before.any(&[
                    "know",
                    "knows",
                    "knew",
                    "decide",
                    "decided",
                    "ask",
                    "asked",
                    "asks",
                    "wonder",
                    "wondered",
                    "wonders",
                    "sure",
                    "unsure",
                    "see",
                    "question",
                    "matter",
                    "unclear",
                    "determine",
                    "doubt",
                    "tell",
                    "check",
                    "on",
                    "about",
                ]);
                return asking
                    && next.is_some_and(|next| {
                        next.any(SUBJECT_PRONOUNS)
                            || next.any(&["to", "or", "the", "this", "there", "a", "people", "we"])
                    })
                    && sentence.len() > at + 2
                    && (before.any(&["on", "about"])
                        && next.is_some_and(|next| next.any(SUBJECT_PRONOUNS) || next.is("to"))
                        || !before.any(&["on", "about"]));
            }
            let moving = [before].into_iter().chain(two_before).any(|token| {
                token.any(&[
                    "walk", "walks", "walked", "walking", "run", "ran", "runs", "running", "drive",
                    "drove", "drives", "driving", "go", "goes", "went", "going", "came", "come",
                    "rode", "flew", "looked", "look", "looking", "move", "moved", "jumped",
                    "rushed", "hurried", "half", "strolled", "marched", "sailed", "climbed",
                    "climbs", "climb", "leads", "led", "passes", "flows", "flowed", "cut", "cuts",
                    "break", "broke", "passed", "straight", "right",
                ])
            });
            moving
                && next.is_some_and(|next| {
                    object(next) || next.tagged(&[UPOS::NOUN, UPOS::PROPN, UPOS::ADJ])
                })
                && !before.any(SUBJECT_PRONOUNS)
        }
        Participle => {
            let opened = before.any(&[
                "have", "has", "had", "was", "were", "been", "having", "i've", "he's", "she's",
                "we've", "they've", "already",
            ]);
            let fits = match written {
                "past" => {
                    before.any(&[
                        "have", "has", "had", "having", "i've", "we've", "they've", "already",
                    ]) && next.is_none_or(|next| {
                        !next.is_word || object(next) || next.tagged(&[UPOS::ADP, UPOS::SCONJ])
                    })
                }
                _ => next.is_some_and(|next| {
                    object(next)
                        || next.any(&[
                            "to", "by", "from", "into", "through", "us", "away", "astray",
                        ])
                }),
            };
            opened && fits && !(before.is("was") && next.is_some_and(object))
        }
    }
}
