//! Tidying that needs no judgement: spaces.

/// The text with its white space put in order: no spaces at the ends of lines, one space between words, none before a
/// comma or full stop, no more than one blank line. Indentation and fenced code are left as they are.
pub fn tidy(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut fenced = false;
    let mut blank = 0;
    for line in text.trim_matches(['\n', '\r']).lines() {
        let opens = line.trim_start();
        let fence = opens.starts_with("```") || opens.starts_with("~~~");
        if fenced
            || fence
            || line.starts_with("    ")
            || line.starts_with('\t')
            || opens.starts_with('|')
        {
            fenced ^= fence;
            blank = 0;
            out.push(line.to_owned());
            continue;
        }
        let line = tidy_line(line);
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            out.push(line);
        }
    }
    out.join("\n")
}

fn tidy_line(line: &str) -> String {
    let body = line.trim_start_matches(' ');
    let mut out = line[..line.len() - body.len()].to_owned();
    let indent = out.len();
    let mut in_code = false;
    let mut chars = body.trim_end().chars().peekable();
    while let Some(letter) = chars.next() {
        in_code ^= letter == '`';
        if letter == ' ' && !in_code {
            let next = chars.peek().copied();
            let after = {
                let mut ahead = chars.clone();
                ahead.next();
                ahead.next()
            };
            let ends_mark = after.is_none_or(char::is_whitespace);
            if next == Some(' ')
                || (matches!(next, Some(',' | '.' | ';' | '?' | '!'))
                    && ends_mark
                    && out.len() > indent
                    && !out.ends_with(['-', '*', ' ']))
            {
                continue;
            }
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_put_in_order_and_code_is_left() {
        assert_eq!(
            tidy("One  two , three .  \n\n\n\nFour ;  five ."),
            "One two, three.\n\nFour; five."
        );
        let code = "Use `a  b` here.\n\n```\nlet x  = 1 ;\n```\n\n    indented  code\n- item one\n  - item .net";
        assert_eq!(tidy(code), code);
    }
}
