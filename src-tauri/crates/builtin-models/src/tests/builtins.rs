//! Tests the list of the built-in models, and how their answers are truncated and streamed.

use crate::*;

#[test]
fn every_builtin_describes_itself() {
    assert_eq!(builtins().len(), ANSWERS.len());
    let mut ids: Vec<_> = builtins().iter().map(|builtin| builtin.id).collect();
    for builtin in builtins() {
        assert!(builtin.name.starts_with("Built-in "), "{}", builtin.name);
        assert!(
            !builtin.does.is_empty() && builtin.cannot.starts_with("It cannot "),
            "{}",
            builtin.id
        );
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), builtins().len(), "ids are unique");
}

#[tokio::test]
async fn under_a_budget_an_answer_ends_at_its_most_tokens() {
    let critic = builtin("critic").unwrap();
    let ask = |capped| ModelRequest {
        prompt: "The committee have met on tuesday to disscuss the the new library.".to_owned(),
        max_tokens: Some(3),
        capped,
        ..ModelRequest::default()
    };
    let answered = |request| critic.call(request, ModelContext::default());
    let whole = answered(ask(false)).await.unwrap();
    assert!(whole.usage.output_tokens > 3 && whole.warnings.is_empty());
    let cut = answered(ask(true)).await.unwrap();
    assert_eq!(
        (cut.usage.output_tokens, &*cut.warnings[0].0),
        (3, "answer_cut")
    );
    assert!(whole.text.starts_with(&cut.text));
    assert_eq!(end_of_word(" a  bc d", 2), Some(6));
    assert_eq!(end_of_word(" a  bc d", 3), None);
    assert_eq!(end_of_word("a", 0), Some(0));
}

#[test]
fn pieces_join_to_the_text() {
    for text in [
        "",
        "one",
        "one two  three\n\nfour five six seven eight ",
        "  naïve café — déjà vu, encore une fois",
    ] {
        assert_eq!(pieces(text).concat(), text);
    }
    assert_eq!(pieces("a b c d e f").len(), 2);
}
