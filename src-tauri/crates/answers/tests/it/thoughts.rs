//! Tests of reading the reasoning at the start of an answer, in the forms that models and servers produce.

use loopwright_answers::{Splitter, split, thoughts::Part};

#[track_caller]
fn said(answer: &str, text: &str) {
    let read = split(answer);
    assert_eq!((read.text, read.is_open), (text, false), "{answer:?}");
    assert!(read.has_thoughts(), "{answer:?}");
}

#[track_caller]
fn open(answer: &str) {
    let read = split(answer);
    assert_eq!((read.text, read.is_open), ("", true), "{answer:?}");
}

#[track_caller]
fn unchanged(answer: &str) {
    let read = split(answer);
    assert_eq!((read.text, read.is_open), (answer, false), "{answer:?}");
    assert!(read.thoughts.is_empty(), "{answer:?}");
}

#[test]
fn thoughts_before_the_text_are_taken_apart() {
    for answer in [
        "<think>\nLet me see.\n</think>\n\nGood.",
        "<think>Let me see.</think>Good.",
        "\n <THINK>a</THINK> Good.",
        "\u{feff}<think>a</think>Good.",
        "<Thinking effort=\"high\">a</Thinking>\nGood.",
        "<think >a</ think >Good.",
        "<thought>a</thought>\nGood.",
        "<reasoning>a</reasoning>\nGood.",
        "<seed:think>a</seed:think>Good.",
        "<mm:think>a</mm:think>\nGood.",
        "<longcat_think>a</longcat_think>\nGood.",
        "<antThinking>a</antThinking>Good.",
        "<|im_start|>assistant\n<think>a</think>Good.",
        "<|think|>a<|end|><|begin|>assistant<|content|>Good.<|end|>",
        "analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Good.<|return|>",
        "Here is my thought process:\na\n\nHere is my response:\nGood.",
        "Here are my reasoning steps:\na\n[BEGIN FINAL RESPONSE]\nGood.\n[END FINAL RESPONSE]",
        "<think>a</think>\n[BEGIN FINAL RESPONSE]\nGood.\n[END FINAL RESPONSE]\n<|end|>",
        "<think>a</think>Good.<|im_end|>",
        "<think>a</think>Good.<｜end▁of▁sentence｜>",
        "<think>a</think><output>Good.</output>",
        "<chain-of-thought>a</chain-of-thought>Good.",
        "<internal_monologue>a</internal_monologue>\nGood.",
        "<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD>Good.",
        "<think>a</think><|begin_of_box|>Good.<|end_of_box|>",
        "[THINK]a[/THINK]Good.",
        "[thinking]a[/thinking]\nGood.",
        "◁think▷a◁/think▷Good.",
        "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Good.<|END_RESPONSE|>",
        "<|begin_of_thought|>a<|end_of_thought|>\n\n<|begin_of_solution|>\nGood.\n<|end_of_solution|>",
        "<|inner_prefix|>a<|inner_suffix|>Good.",
        "<|channel>thought\na<channel|>Good.",
        "<unused94>thought\na<unused95>Good.",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Good.<|return|>",
        "<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>Good.",
        "analysisThe user greets.assistantfinalGood.",
        "<think>a</think>\n<answer>\nGood.\n</answer>",
        "<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>Thought for 3 seconds</summary>\n&gt; a\n</details>\nGood.",
        // Several blocks, empty blocks, and ends without a start.
        "<think>a</think>\n<think>b</think>\nGood.",
        "<thinking>a</thinking><reflection>b</reflection>\n\nGood.",
        "<think></think>a\n</think>\n\nGood.",
        "<think>a</think>\n</think>\n\nGood.",
        "Let me see.\n</think>\n\nGood.",
        "Let me see.</think>Good.",
        "Let me see.[/THINK]Good.",
        "</think>private planning</think>Good.",
        // A nested block, a closing tag in code, a closing tag with another name.
        "<think>a <think>b</think> c</think>Good.",
        "<think>I end it with `</think>` later.</think>Good.",
        "<think>They say \"</think>\" a lot.</think>Good.",
        "<think>a</thinking>\nGood.",
        "<thinking>The user asks about <think> tags.</thinking>Good.",
        "<think>Maybe {\"draft\": true}?</think>Good.",
        "```js\n1\n```\nSo it is one.\n</think>\nGood.",
    ] {
        said(answer, "Good.");
    }
    said(
        "<think>a</think>{\"a\": \"<think>b</think>\"}",
        "{\"a\": \"<think>b</think>\"}",
    );
    said("Hm {\"a\": 1}?\n</think>{\"a\": 2}", "{\"a\": 2}");
    said(
        "<think>a</think>Use <think> and </think> tags.",
        "Use <think> and </think> tags.",
    );
    said("<think>a</think><s>Old</s>", "<s>Old</s>");
    said("<think>a</think>Good. <answer>", "Good. <answer>");
    let read = split("<think>\n\n</think>\n\nGood.");
    assert_eq!((read.text, read.has_thoughts()), ("Good.", false));
    assert_eq!(
        split("<think>a</think>\n<think>b</think>c").thoughts(),
        "a\n\nb"
    );
}

#[test]
fn thoughts_without_an_end_are_no_answer() {
    for answer in [
        "<think>\nFirst I look at",
        "<think>",
        "<think",
        "[THINK]a",
        "◁think▷a",
        "<think>a</think><think>b",
        "<|channel|>analysis<|message|>a",
        "<|channel|>analysis",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b",
    ] {
        open(answer);
    }
    let all = split("All of it.\n</think>");
    assert_eq!((all.text, all.has_thoughts()), ("", true));
}

#[test]
fn what_is_no_thought_is_unchanged_to_the_byte() {
    for answer in [
        "",
        " ",
        "\n  Good morning. \n",
        "Use <think>draft</think> as the example.",
        "The model ends its thoughts with `</think>`.",
        "The tag \"</think>\" ends them, “</think>” too.",
        "```html\n<p></think></p>\n```\nThat is wrong.",
        "{\"a\": \"x</think>y\"}",
        "Here: {\"a\": \"x</think>y\"} and more.",
        "\"x</think>y\"",
        "```\n<think>a</think>\n```",
        "{\"a\": \"<think>b</think>\"}",
        "<thinker>a</thinker>",
        "<p>a</p>",
        "< think",
        "<",
        "[think] He walked on.",
        "[Thought] a",
        "analysis of the text: good",
        "analysisReport is a name.",
        "Here is my thought process: I guess.",
        "Good.<|im_end|>",
        "a < b and b > c",
        "<reflection>a</reflection>b",
        "<answer>a</answer>",
        "assistant",
    ] {
        unchanged(answer);
    }
}

/// Streams `answer` in pieces of at least `size` bytes. Returns the reasoning and the text that the stream shows.
fn streamed(answer: &str, size: usize) -> (String, String) {
    let mut splitter = Splitter::default();
    let (mut thoughts, mut text) = (String::new(), String::new());
    let mut show = |part: Part, piece: &str| match part {
        Part::Thought => thoughts.push_str(piece),
        Part::Text => text.push_str(piece),
    };
    let mut piece = String::new();
    for c in answer.chars() {
        piece.push(c);
        if piece.len() >= size {
            splitter.push(&piece, &mut show);
            piece.clear();
        }
    }
    splitter.push(&piece, &mut show);
    splitter.end(&mut show);
    (thoughts, text)
}

#[test]
fn a_stream_shows_the_text_and_keeps_the_thoughts_apart() {
    let long = format!("<think>{}</think>\n\nGood.", "a thought. ".repeat(300));
    for answer in [
        "<think>\nLet me see.\n</think>\n\nGood.",
        "<think>a</think> <think>b</think>\nGood.",
        "[THINK]a[/THINK]Good.",
        "◁think▷a◁/think▷Good.",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Good.",
        "<think>I end it with `</think>` later.</think>Good.",
        "<think>\n\n</think>\n\nGood.",
        &long,
        "Good.",
        "  Good <think>b</think>",
        "<p>Good.</p>",
        "<think>never ended",
    ] {
        for size in [1, 2, 5, 17, 1000] {
            let (thoughts, text) = streamed(answer, size);
            let read = split(answer);
            assert_eq!(text, read.text, "{answer:?} by {size}");
            let apart: String = read.thoughts.concat();
            assert_eq!(thoughts, apart, "{answer:?} by {size}");
        }
    }
}

#[test]
fn a_thought_is_shown_while_it_arrives_even_with_quotes() {
    for (open, line) in [
        ("<think>\n", "   `</think>`  \n"),
        ("<think>\n", "   \"</think>\"  \n"),
        ("[THINK]\n", "   `[/THINK]`  \n"),
        ("◁think▷\n", "   ‘◁/think▷’  \n"),
        ("<|channel|>analysis<|message|>", "<|channel|>final"),
    ] {
        // At some of these positions, the closing quotation mark has not arrived yet, so the tag may still be the end of the
        // block.
        let letters: Vec<char> = line.repeat(400).chars().collect();
        for first in 0..16 {
            let mut splitter = Splitter::default();
            splitter.push(open, |_, piece| assert_eq!(piece, ""));
            let (mut arrived, mut shown) = (0, 0);
            let (start, rest) = letters.split_at(first);
            for piece in [start].into_iter().chain(rest.chunks(16)) {
                let piece: String = piece.iter().collect();
                arrived += piece.len();
                splitter.push(&piece, |part, piece| {
                    assert_eq!(part, Part::Thought, "{line:?} by {first}");
                    shown += piece.len();
                });
                assert!(arrived - shown < 2_000, "{line:?} by {first}");
            }
        }
    }
}

#[test]
fn a_stream_is_read_alike_however_it_is_cut() {
    let blank = " ".repeat(4_000);
    for answer in [
        "<think>a</think ]>Good.",
        "<think>a</think a=']'>Good.",
        "<think>a ] ▷ [ ◁ </think>Good.",
        "<think>They say \"</think>\" a lot.</think>Good.",
        "[THINK]a > `[/THINK]`[/THINK]Good.",
        "<|channel|>analysis<|message|>a<|channel|>final<|channel|>final <|message|>Good.",
        "<|channel|>analysis<|message|>a<|start|><|start|>assistant<|channel|>  final<|message|>Good.",
        &format!("<think>a</think>{blank}{blank}<think>b</think>Good."),
        &format!(
            "<|channel|>analysis<|message|>a<|channel|>{blank}<|channel|>final<|message|>Good."
        ),
        &format!(
            "<|channel|>analysis<|message|>a<|channel|>final{blank}<|channel|>final<|message|>Good."
        ),
    ] {
        for size in [1, 2, 3, 7, 16, 1000, 100_000] {
            let (thoughts, text) = streamed(answer, size);
            assert_eq!(text, "Good.", "{answer:?} by {size}");
            assert_eq!(
                thoughts,
                streamed(answer, 100_000).0,
                "{answer:?} by {size}"
            );
        }
    }
}
