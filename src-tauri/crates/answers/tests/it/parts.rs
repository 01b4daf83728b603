//! Tests of reading the requested part of an answer: the text between its tags, or its only code block.

use loopwright_answers::part::{code, marked};

#[test]
fn the_marked_part_is_taken() {
    for (text, part) in [
        ("<answer>Tides</answer>", Some("Tides")),
        (
            "Sure!\n<Answer>\nTides\n</ANSWER>\nI chose the shortest.",
            Some("Tides"),
        ),
        ("<answer>a</answer> Better: <answer>b</answer>", Some("b")),
        ("Here it is: <answer>Tides rise.", Some("Tides rise.")),
        ("Tides rise.</answer>", Some("Tides rise.")),
        ("<answer></answer>", Some("")),
        ("I write \"<answer>\" where it begins.", None),
        ("Use `<answer>` and `</answer>`.", None),
        ("Tides </answer> and more", None),
        ("no marks", None),
        ("", None),
    ] {
        assert_eq!(marked(text), part, "{text}");
    }
}

#[test]
fn the_only_block_of_code_is_taken() {
    for (text, part) in [
        ("Here:\n```lua\nreturn 1\n```\nDone.", Some("return 1")),
        ("```\na\n\nb\n```", Some("a\n\nb")),
        ("```lua\nreturn 1", Some("return 1")),
        ("So: ```x``` is inline", None),
        ("```\na\n```\n```\nb\n```", None),
        ("```\na\n```\nagain\n```\na\n```", Some("a")),
        ("return 1", None),
    ] {
        assert_eq!(code(text), part, "{text}");
    }
}
