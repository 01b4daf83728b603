//! Tests of text that the check corrects, and of text that it leaves unchanged.

use std::time::{Duration, Instant};

use crate::{apply, check};

fn corrected(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        text = apply(&text, &check(&text));
    }
    text
}

#[test]
fn errors_are_corrected() {
    let pairs = [
        // The verb must agree with its noun, even if there are other words between them.
        ("The dogs is loud.", "The dogs are loud."),
        ("The list of items are long.", "The list of items is long."),
        (
            "The teacher and the student was late.",
            "The teacher and the student were late.",
        ),
        (
            "Each of the boys have a bike.",
            "Each of the boys has a bike.",
        ),
        (
            "My sister don't like coffee.",
            "My sister doesn't like coffee.",
        ),
        (
            "The birds that sings here are small.",
            "The birds that sing here are small.",
        ),
        (
            "There is many reasons to stay.",
            "There are many reasons to stay.",
        ),
        ("Where is my keys?", "Where are my keys?"),
        ("Everybody know the answer.", "Everybody knows the answer."),
        ("We was at home.", "We were at home."),
        ("A lot of people was there.", "A lot of people were there."),
        (
            "The price of these houses grow every year.",
            "The price of these houses grows every year.",
        ),
        // Grammatical number.
        (
            "She waited five hour for them.",
            "She waited five hours for them.",
        ),
        (
            "One of my friend lives in Rome.",
            "One of my friends lives in Rome.",
        ),
        // Confused words.
        ("Its raining in the valley.", "It's raining in the valley."),
        ("The cat licked it's paw.", "The cat licked its paw."),
        ("Your going to be late.", "You're going to be late."),
        ("They lost there keys.", "They lost their keys."),
        ("Their is a problem.", "There is a problem."),
        ("This soup is to hot.", "This soup is too hot."),
        ("He is taller then me.", "He is taller than me."),
        (
            "I don't want to loose my job.",
            "I don't want to lose my job.",
        ),
        ("We should of left earlier.", "We should have left earlier."),
        ("I want to by a car.", "I want to buy a car."),
        (
            "They walked passed the house.",
            "They walked past the house.",
        ),
        (
            "I don't know weather he will come.",
            "I don't know whether he will come.",
        ),
        ("Who's car is this?", "Whose car is this?"),
        (
            "The medicine had no affect on him.",
            "The medicine had no effect on him.",
        ),
        // Repetition and forms.
        ("He gave it it to me.", "He gave it to me."),
        ("I seen him yesterday.", "I saw him yesterday."),
        ("She runned home.", "She ran home."),
        (
            "An unique idea and a hour later.",
            "A unique idea and an hour later.",
        ),
    ];
    let wrong: Vec<_> = pairs
        .iter()
        .filter(|(text, wanted)| corrected(text) != *wanted)
        .map(|(text, wanted)| format!("{text} → {} and not {wanted}", corrected(text)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}: {wrong:#?}",
        wrong.len(),
        pairs.len()
    );
}

#[test]
fn what_is_right_is_left_alone() {
    let texts = [
        "The number of students who want to learn has grown.",
        "If I were you, I would wait. I suggest that he go home.",
        "Does the dog bark at night? Let the children play.",
        "The man who owns the dogs is happy. People who live in cities are busy.",
        "What I need are shoes. One of the issues the book addresses is money.",
        "Its tail was long, and it's been there since May. It's time to go.",
        "Your leaving made us sad, but your right hand is fine.",
        "They went there yesterday.",
        "The team are playing well. The data are clear. The news is good.",
        "He used to go to school, and then he left. More than that, I know now.",
        "Bread and butter is cheap. Every man and woman has a vote.",
        "She had had enough. I know that that is true.",
        "Müller's café in Zürich serves Rösti. Aurélien and Okonkwo met Ilse there.",
        "The colour of the theatre's centre was grey; the color of the theater was gray.",
        "Run `cargo biuld` and see https://exmaple.com/teh for detials.org.",
        "The dataset was preprocessed with nonlinear backpropagation.",
        "Der schnelle braune Fuchs springt über den faulen Hund.",
        "Two thirds of the land is forest. Ten years is a long time.",
        "He made the dog sit and saw the boys leave. The company plan for growth is ready.",
        "In 1963 the 7-2 record stood. A 5-year plan and a two-mile walk.",
    ];
    let touched: Vec<_> = texts
        .iter()
        .flat_map(|text| {
            check(text)
                .into_iter()
                .filter(|finding| finding.replacement.is_some())
                .map(move |finding| {
                    format!(
                        "[{}] {:?} → {:?} in {text}",
                        finding.rule,
                        finding.found,
                        finding.replacement.unwrap_or_default()
                    )
                })
        })
        .collect();
    assert!(touched.is_empty(), "{touched:#?}");
}

#[test]
fn markdown_and_code_keep_their_form() {
    let text = "# The goverment\n\n- Item won is `teh code`.\n- The dogs is loud.\n\n```rust\nlet recieve = \"teh teh\";\n```\n\n> A quoat from [teh link](https://a.b/teh).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let fixed = corrected(text);
    assert!(fixed.contains("# The government\n\n- Item"), "{fixed}");
    assert!(
        fixed.contains("`teh code`") && fixed.contains("The dogs are loud."),
        "{fixed}"
    );
    assert!(
        fixed.contains("```rust\nlet recieve = \"teh teh\";\n```"),
        "{fixed}"
    );
    assert!(
        fixed.contains("(https://a.b/teh)") && fixed.ends_with("| 1 | 2 |\n"),
        "{fixed}"
    );
}

#[test]
fn any_text_is_taken() {
    let long = "word ".repeat(3000);
    for text in [
        "",
        " ",
        "\n\n",
        "…",
        "🙂🙂",
        "a",
        "\u{202e}abc",
        "((((",
        "“",
        "'s",
        "1 2 3",
        "A\u{0}b",
        "\r\n\r\n- \r\n",
        long.as_str(),
    ] {
        let findings = check(text);
        for finding in &findings {
            assert_eq!(&text[finding.span.clone()], finding.found);
        }
        let ends: Vec<_> = findings
            .iter()
            .filter(|finding| finding.replacement.is_some())
            .collect();
        assert!(
            ends.windows(2)
                .all(|pair| pair[0].span.end <= pair[1].span.start),
            "corrections do not overlap"
        );
    }
}

#[test]
fn the_same_text_gives_the_same_findings_and_a_warm_check_is_quick() {
    let text = "Every afternoon the reading room fills with students who want to finish their homework before dinner. ".repeat(18);
    let varied: String = text
        .split(' ')
        .enumerate()
        .map(|(at, word)| {
            if at % 29 == 3 {
                "recieve ".to_owned()
            } else {
                format!("{word} ")
            }
        })
        .collect();
    check("Warm up.");
    let start = Instant::now();
    let first = check(&varied);
    let took = start.elapsed();
    println!("{} words in {took:?}", varied.split_whitespace().count());
    assert_eq!(first, check(&varied));
    assert!(took < Duration::from_secs(3), "{took:?}");
}
