//! Prints the findings in each piece of text on standard input, and the text after three rounds in which all findings were
//! applied. Lines of `---` separate the pieces.

use std::{
    io::{self, Read},
    time::Instant,
};

use loopwright_prose::{apply, check};

fn main() -> io::Result<()> {
    check("Warm up.");
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    for text in input.split("\n---\n") {
        let mut text = text.to_owned();
        for _ in 0..3 {
            let start = Instant::now();
            let findings = check(&text);
            println!("{} findings in {:?}", findings.len(), start.elapsed());
            for finding in &findings {
                println!(
                    "  {} [{}] {:?} -> {:?} | {}",
                    finding.kind.name(),
                    finding.rule,
                    finding.found,
                    finding.replacement,
                    finding.message
                );
            }
            text = apply(&text, &findings);
        }
        println!("{text}\n=====");
    }
    Ok(())
}
