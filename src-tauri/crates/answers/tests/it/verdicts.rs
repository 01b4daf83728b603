//! Tests of reading verdicts: the branch that an answer names, and the rating that it states.

use loopwright_answers::{
    choice::choice,
    rating::{Scale, rating},
};

fn names() -> Vec<String> {
    vec!["done".to_owned(), "needs work".to_owned()]
}

fn branch(text: &str) -> Option<usize> {
    choice(text, &names(), "branch").map(|verdict| verdict.value)
}

#[test]
fn what_names_exactly_one_branch_is_a_verdict() {
    for text in [
        "done",
        "Done",
        "DONE.",
        "**Done.**",
        "`done`",
        "\"done\"",
        "'done'",
        "“Done”",
        "- done",
        "> done",
        "# Done",
        "1. done",
        "b) Done",
        "✅ done",
        "done ✅",
        "<done>",
        "[done]",
        "→ done",
        "done\n",
        r#"{"branch": "Done", "reason": "It is fine."}"#,
        r#"{"branch": "done"}"#,
        r#"{"branch": "done", "reason": "Fine.", "confidence": 0.9}"#,
        r#"{"Branch": "DONE", "reason": null}"#,
        r#"{"decision": "done", "why": "it needs work no more"}"#,
        r#"{"verdict": "**done**"}"#,
        r#"{"choice": "done."}"#,
        r#"{"selected_branch": "done"}"#,
        r#"{"x": "done"}"#,
        r#"{"answer": {"branch": "done"}}"#,
        r#"[{"branch": "done"}]"#,
        r#"{"branch": ["done"]}"#,
        r#"{"branch": {"name": "done"}}"#,
        r#"{"done": true, "needs work": false}"#,
        r#""done""#,
        r#"["done"]"#,
        "```json\n{\"branch\": \"done\"}\n```",
        "Here is it:\n{\"branch\": \"done\", \"reason\": \"a [1]\"}\nI hope it helps.",
        "{\"branch\": \"done\", \"reason\": \"a\"} {\"branch\": \"done\", \"reason\": \"b\"}",
        r#"{"branch": "done", "previous": "needs work"}"#,
        r#"{branch: "done"}"#,
        "{'branch': 'done', 'reason': 'fine'}",
        r#"{"branch": "done""#,
        "Branch: done",
        "**Verdict:** done",
        "Decision = done.",
        "The verdict is done.",
        "My answer: **Done**",
        "Final answer: done",
        "Verdict: done - the text is fine.",
        "Branch: done because it is fine",
        "I choose done.",
        "I would go with `done`.",
        "Done - all is fine.",
        "**Done** — all is fine.",
        "done (all is fine)",
        "Done: all is fine.",
        "Done. The text is fine.",
        "I read it twice.\n\n**Done.**",
        "It has a heading, and a text. Done.",
        "done\n\nReason: Nothing needs work.",
        "Is it done or needs work?\n\ndone",
        "The text is `done`.",
        "I think that it is “done”.",
        "Branch: done\nReason: it does not need more.",
        "- **Branch**: done\n- **Reason**: nothing needs work",
        "<think>It needs work? No.</think>done",
        "The text needs work? No. Verdict: done",
        "done — because the text has no more errors",
        "Done: there are no errors.",
        "I choose the branch done because it has no errors",
        "<branch>done</branch>",
        "<answer>Done.</answer>\n<x>needs work</x>",
        "{\"branch\": done}",
        "Branch - done",
        "| branch | done |",
        "Final: done",
        // Boxes, ticks and struck text.
        "- [x] done\n- [ ] needs work",
        "- [ ] needs work\n- [X] Done",
        "☑ done\n☐ needs work",
        "✅ done\n❌ needs work",
        "1. [x] done\n2. [ ] needs work\n\nReason: it is fine",
        "~~needs work~~ done",
        "~~Verdict: needs work~~\nVerdict: done",
        // A tool call instead of an answer, and the tokens that servers leave around it.
        r#"{"name": "choose", "arguments": {"branch": "done"}}"#,
        r#"{"name": "choose", "arguments": "{\"branch\": \"done\"}"}"#,
        "<tool_call>\n{\"name\": \"choose\", \"arguments\": {\"branch\": \"done\"}}\n</tool_call>",
        r#"{"type": "object", "properties": {"branch": "done", "reason": "fine"}}"#,
        "done<|im_end|>",
        "done</s>",
        "<|begin_of_box|>done<|end_of_box|>",
        "Assistant: done",
        r"\boxed{done}",
        r"The final answer is $\boxed{\text{done}}$.",
        "Done. The second paragraph is fine.",
        r#"{"branch": "~~needs work~~ done"}"#,
        "Done, there are no errors.",
        "Done, nothing is missing.",
    ] {
        assert_eq!(branch(text), Some(0), "{text}");
    }
    for text in [
        "needs_work",
        "Needs-work.",
        "NEEDS WORK",
        "needsWork",
        "**Needs work**: the end is missing.",
        "Verdict: needs work",
        "- [ ] done\n- [x] needs work",
        "Needs work, it does not cover the tides.",
    ] {
        assert_eq!(branch(text), Some(1), "{text}");
    }
    let names = ["yes".to_owned(), "no".to_owned()];
    let read = |text: &str| choice(text, &names, "branch").map(|verdict| verdict.value);
    assert_eq!(read("No, it does not meet the criteria."), Some(1));
    assert_eq!(read("Yes, there are no errors."), Some(0));
    for text in [
        "Yes, if it has no errors.",
        "Yes, but there are errors.",
        "No, there are no errors.",
        "Yes, not without errors.",
        "Yes, it is not.",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn what_names_none_or_several_is_none() {
    for text in [
        "",
        "?",
        "maybe",
        "not done",
        "Not done.",
        "**Not done**",
        "It is not `done`.",
        "This isn't \"done\" yet.",
        "It is done, I think",
        "done or needs work",
        "Done, needs work.",
        "`done` / `needs work`",
        "Either done or needs work.",
        "do{\"score\": \"8\"}ne",
        "do~~x~~ne",
        "n~~J~~~~x~~eeds work",
        "n~~J~~~~\u{1}o~~~eeds work",
        "n ~~J~~eeds work",
        "It n ~~J~~ eeds work.",
        "It is done, but it needs work.",
        "Done? No.",
        "Done, but not really.",
        "Done, if the typo is mended.",
        "Done - not yet.",
        "done (once it is read)",
        "<branch>done</branch><branch>needs work</branch>",
        "<branch>not done</branch>",
        "Verdict: not done",
        "The verdict is not done.",
        "done\nneeds work",
        "- done\n- needs work",
        "Done. However, the end is missing.",
        "Done. On second thought, the end is missing.",
        "Done. No, it is not done.",
        "Done. It still needs work.",
        r#"{"branch": "maybe"}"#,
        r#"{"branch": null}"#,
        r#"{"branch": "not done"}"#,
        r#"{"branch": "done or needs work"}"#,
        r#"{"branch": ["done", "needs work"]}"#,
        r#"{"branch": "done", "branch": "needs work"}"#,
        r#"{"branch": "done"} {"branch": "needs work"}"#,
        r#"{"decision": "done", "verdict": "needs work"}"#,
        r#"{"reason": "done"}"#,
        r#"{"done": true, "needs work": true}"#,
        r#"{"done": false}"#,
        r#"{"branch": "unknown", "x": "done"}"#,
        "{\"branch\": \"done\"}\n\nVerdict: needs work",
        "I would only choose `done` once the typo is mended.",
        "undone",
        "The branch after done is better.",
        "Verdict: done or needs work",
        "I can't decide if it is `done`.",
        // Boxes that choose nothing, or contradict each other.
        "- [ ] done",
        "- [ ] done\n- [ ] needs work",
        "- [x] done\n- [x] needs work",
        "- [x] done\n- [ ] needs work\n\nVerdict: needs work",
        "~~done~~",
        // A name in a sentence that does not choose it.
        "It would be **done** after one more revision.",
        "I doubt this is **done**.",
        "It could be **done** with another pass.",
        "This is far from **done**.",
        "It is unlikely to be **done**.",
        "The text fails to be **done**.",
        "Hard to call this **done**.",
        "To be **done**, it needs a conclusion.",
        "I refuse to say **done**.",
        "It lacks what makes it `done`.",
        "The user wrote \"done\".",
        "The task asks whether it is **done**. I have to look first.",
        "It should be **done** soon.",
        r#"{"name": "choose", "arguments": {"branch": {"enum": ["done", "needs work"]}}}"#,
        "Done, not without errors.",
    ] {
        assert_eq!(branch(text), None, "{text}");
    }
}

#[test]
fn names_within_names_and_one_letter_are_told_apart() {
    let names = ["done".to_owned(), "not done".to_owned()];
    let read = |text: &str| choice(text, &names, "branch").map(|verdict| verdict.value);
    assert_eq!(read("Not done."), Some(1));
    assert_eq!(read("Verdict: not done"), Some(1));
    assert_eq!(read("Done."), Some(0));
    let names = ["A".to_owned(), "B".to_owned(), "tie".to_owned()];
    let read = |text: &str| choice(text, &names, "better").map(|verdict| verdict.value);
    for text in [
        "B",
        "**B**",
        "Better: B",
        "b",
        r#"{"better": "b"}"#,
        "B is a good answer.\n\nBetter: B",
        "Response B is better.",
        "B wins",
        "The better one is B.",
    ] {
        assert_eq!(read(text), Some(1), "{text}");
    }
    for text in ["A and B", "A is better than B", "a good answer"] {
        assert_eq!(read(text), None, "{text}");
    }
    let names = ["完成".to_owned(), "继续".to_owned()];
    let read = |text: &str| choice(text, &names, "branch").map(|verdict| verdict.value);
    assert_eq!(read("**完成**。"), Some(0));
    assert_eq!(read("继续"), Some(1));
}

fn number(text: &str) -> Option<f64> {
    let scale = Scale {
        least: Some(1.0),
        most: Some(10.0),
    };
    rating(text, scale, "score").and_then(|verdict| verdict.value.as_f64())
}

#[test]
fn one_number_within_the_scale_is_a_verdict() {
    for text in [
        "8",
        "8.0",
        "8.",
        "**8**",
        "8/10",
        "8 / 10",
        "8 out of 10",
        "\"8\"",
        "`8/10`",
        "Score: 8",
        "**Score: 8**",
        "<score>8</score>",
        "{score: 8}",
        "**Score:** 8/10",
        "Score = 8",
        "The score is 8.",
        "Rating: 8 out of 10.",
        "I give it an 8.",
        "I would rate this 8 out of 10.",
        "Overall score: 8",
        "Score (1-10): 8",
        "On a scale of 1 to 10: 8",
        "Score: 8 because it has 2 errors",
        "8 - clear and short",
        "8 (clear)",
        "It has 3 errors in 2 lines.\n\nScore: 8",
        "It is clear.\n8/10",
        "8 points",
        r#"{"score": 8}"#,
        r#"{"score": "8"}"#,
        r#"{"score": "8/10", "reason": "Fine."}"#,
        r#"{"score": 8, "confidence": 0.5}"#,
        r#"{"rating": 8, "max": 10}"#,
        r#"{"result": {"score": 8}}"#,
        r#"{"quality": 8}"#,
        r#"[{"score": 8}]"#,
        "```json\n{\"score\": 8}\n```",
        "<think>7? 9?</think>8",
        "Clarity: 7/10. Style: 9/10. Score: 8/10",
        "Score: 8\nReason: 3 errors",
        r"8\/10",
        r"\boxed{8}",
        "~~6/10~~ 8/10",
        "Score: 8</s>",
        "Maximum score: 10. Score: 8",
    ] {
        assert_eq!(number(text), Some(8.0), "{text}");
    }
    assert_eq!(number("8.5/10"), Some(8.5));
    assert_eq!(number("Score: 10"), Some(10.0));
}

#[test]
fn no_number_several_or_one_beyond_the_scale_is_none() {
    for text in [
        "",
        "eight",
        "7-8",
        "7 or 8",
        "7 to 8",
        "8, 9",
        "between 7 and 8",
        "11",
        "0",
        "-8",
        "8/5",
        "4/5",
        "80%",
        "8,5",
        "Score: 11",
        "Score: 7-8",
        "Score: 7\nScore: 8",
        "7/10 or 8/10",
        "I found 3 errors.",
        r#"{"score": null}"#,
        r#"{"score": "high"}"#,
        r#"{"score": 11}"#,
        r#"{"score": 7, "score": 8}"#,
        r#"{"score": 7} {"score": 8}"#,
        r#"{"clarity": 7, "style": 8}"#,
        "8th",
        "v8",
        "1.000.000",
        "Is it 8?",
        // Retractions, denials, bounds, and the end of the scale.
        "Score: 8/10. On second thought, 6/10.",
        "Score: 8/10, but really 6/10",
        "8/10... wait, 5/10",
        "The score is not 8.",
        "I would not give it an 8.",
        "The maximum score is 10.",
        "Passing score: 7",
        "Score: < 5",
        "Score: >7",
        "123456789012345678901234567890",
    ] {
        assert_eq!(number(text), None, "{text}");
    }
}
