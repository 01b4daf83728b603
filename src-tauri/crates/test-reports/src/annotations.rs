//! Reads errors that programs report to GitHub Actions (`::error file=…::…`) and TeamCity (`##teamcity[testFailed …]`).

use crate::{limits::MAX_FAILURES, report::Failure};

/// Returns the value of the property `name` in a list such as `file=a.js,line=3`, or `None` if the list does not have it.
fn property<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    list.split(',')
        .find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))
}

fn github(line: &str) -> Option<Failure> {
    let rest = line.trim_start().strip_prefix("::error ")?;
    let (list, message) = rest.split_once("::")?;
    let plain = |text: &str| {
        let text = text
            .replace("%0A", "\n")
            .replace("%0D", "")
            .replace("%3A", ":")
            .replace("%2C", ",");
        text.replace("%25", "%")
    };
    let message = plain(message);
    let file = property(list, "file").map(plain);
    let name = property(list, "title").map(plain).or_else(|| file.clone());
    Some(Failure {
        name: name.unwrap_or_else(|| "error".to_owned()),
        message: Some(message.trim().to_owned()),
        line: property(list, "line")
            .and_then(|line| line.parse().ok())
            .filter(|line| *line > 0),
        file,
    })
}

/// Returns the value of the attribute `name`, written as `name='…'`. TeamCity escapes characters of the value with `|`.
fn attribute(list: &str, name: &str) -> Option<String> {
    let (_, rest) = list.split_once(&format!(" {name}='"))?;
    let mut value = String::new();
    let mut chars = rest.chars();
    while let Some(char) = chars.next() {
        match char {
            '\'' => return Some(value),
            '|' => match chars.next()? {
                'n' => value.push('\n'),
                'r' => {}
                next => value.push(next),
            },
            char => value.push(char),
        }
    }
    None
}

fn teamcity(line: &str) -> Option<Failure> {
    let list = line.trim_start().strip_prefix("##teamcity[testFailed")?;
    let details = attribute(list, "details").unwrap_or_default();
    let message = attribute(list, "message").unwrap_or_default();
    let place = crate::location::first(&details);
    Some(Failure::at(
        &attribute(list, "name")?,
        message.trim(),
        place,
    ))
}

pub(crate) fn failures(output: &str) -> Vec<Failure> {
    let found = output
        .lines()
        .filter_map(|line| github(line).or_else(|| teamcity(line)));
    found.map(Failure::bounded).take(MAX_FAILURES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let output = "::error file=/a/sum.test.js,title=sums > adds,line=6,column=50::Error: 4 is not 5%0A at x%25\n##teamcity[testFailed name='adds' message='4 isn|'t 5' details=' /a/SumTest.php:6|n' flowId='1']\n::error::\n";
        let found = failures(output);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].message.as_deref(),
            Some("Error: 4 is not 5\n at x%")
        );
        assert_eq!(
            (found[0].name.as_str(), found[0].line),
            ("sums > adds", Some(6))
        );
        assert_eq!(
            (found[1].message.as_deref(), found[1].line),
            (Some("4 isn't 5"), Some(6))
        );
    }
}
