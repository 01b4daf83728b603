//! Finds the items that a Rust source defines, imports and mentions, by name. Types are not known, so method calls are ignored.

mod tokens;

use std::collections::BTreeSet;

use tokens::{Token, tokens};

/// A name that a `use` brings into a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The name, or `*` for all names of a module.
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    /// Whether the `use` is public, so that other files can reach the name through this file.
    pub(crate) public: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The items at the top level of the file and in its inline modules.
    pub(crate) defines: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    /// The names and paths in the code, outside `use`.
    pub(crate) paths: BTreeSet<Vec<String>>,
    /// The modules in separate files that are compiled only for tests.
    pub(crate) test_modules: Vec<String>,
}

pub(crate) fn scan(source: &str) -> Scan {
    let tokens = tokens(source);
    let mut scan = Scan {
        test_modules: tokens
            .test_modules
            .iter()
            .map(ToString::to_string)
            .collect(),
        ..Scan::default()
    };
    let code = &tokens.code;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = code.get(at) {
        let next = code.get(at + 1);
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Word("use") if next != Some(&Token::Mark('<')) => {
                let public = is_public(&code[..at]);
                let end = code[at..]
                    .iter()
                    .position(|token| *token == Token::Mark(';'))
                    .map_or(code.len(), |length| at + length);
                import(&code[at + 1..end], &[], public, &mut scan.imports);
                at = end;
                continue;
            }
            Token::Word(word) => {
                if depth == 0
                    && let Some(name) = defined(word, &code[at + 1..])
                {
                    scan.defines.insert(name.to_owned());
                }
                let (path, length) = path(&code[at..]);
                let before = at.checked_sub(1).and_then(|before| code.get(before));
                let is_field = before == Some(&Token::Mark('.')) && !is_range(&code[..at]);
                let is_named_here =
                    matches!(before, Some(Token::Word("fn" | "mod" | "let" | "mut")));
                if !is_field
                    && !is_named_here
                    && before != Some(&Token::Path)
                    && (path.len() > 1 || is_mentioned(word, code.get(at + 1)))
                {
                    scan.paths.insert(path);
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    scan
}

/// Returns the name of the item that `word` and the tokens `behind` it define; `None` if they define no item.
fn defined<'a>(word: &str, behind: &[Token<'a>]) -> Option<&'a str> {
    let behind = match (word, behind) {
        ("static", [Token::Word("mut"), behind @ ..])
        | ("macro_rules", [Token::Mark('!'), behind @ ..])
        | (
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "mod",
            behind,
        ) => behind,
        _ => return None,
    };
    match behind {
        [
            Token::Word("mod" | "fn" | "unsafe" | "async" | "extern"),
            ..,
        ] => None,
        // The line `mod name;` defines nothing here, because the items of the module are in a separate file.
        [Token::Word(_), Token::Mark(';'), ..] if word == "mod" => None,
        [Token::Word(name), ..] => Some(name),
        _ => None,
    }
}

/// Returns whether a single name is the name of an item. A function's name counts only if a call follows, and a variable's name
/// never does.
fn is_mentioned(name: &str, next: Option<&Token>) -> bool {
    name.chars().any(char::is_uppercase)
        || matches!(next, Some(Token::Mark('(' | '!') | Token::Path))
}

/// Returns whether the tokens end with `pub` or `pub(…)`.
fn is_public(before: &[Token]) -> bool {
    let words = match before {
        [before @ .., Token::Mark(')')] => {
            let opens = before.iter().rposition(|token| *token == Token::Mark('('));
            &before[..opens.unwrap_or(0)]
        }
        before => before,
    };
    words.last() == Some(&Token::Word("pub"))
}

/// Returns whether the tokens end with the dots of a range such as `a..b`. The name after them could be mistaken for a field.
fn is_range(before: &[Token]) -> bool {
    before.ends_with(&[Token::Mark('.'), Token::Mark('.')])
}

/// Returns the path at the beginning of the tokens, without generic arguments, and the number of its tokens.
fn path(tokens: &[Token]) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut length = 0;
    while let Some(Token::Word(word)) = tokens.get(length) {
        path.push((*word).to_owned());
        length += 1;
        match tokens.get(length..length + 2) {
            Some([Token::Path, Token::Word(_)]) => length += 1,
            _ => break,
        }
    }
    (path, length)
}

/// Adds the names that a tree of `use` imports. `front` is the path before the tree.
fn import(tree: &[Token], front: &[String], public: bool, imports: &mut Vec<Import>) {
    for branch in branches(tree) {
        let mut path = front.to_vec();
        let mut name = None;
        let mut tokens = branch.iter().enumerate();
        while let Some((at, token)) = tokens.next() {
            match token {
                Token::Word("as") => {
                    if let Some((_, Token::Word(other))) = tokens.next() {
                        name = Some((*other).to_owned());
                    }
                }
                Token::Word(word) => path.push((*word).to_owned()),
                Token::Mark('*') => name = Some("*".to_owned()),
                Token::Mark('{') => {
                    let inner = branch.get(at + 1..branch.len() - 1).unwrap_or_default();
                    import(inner, &path, public, imports);
                    path.clear();
                    break;
                }
                _ => {}
            }
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(last) = path.last() {
            imports.push(Import {
                name: name.unwrap_or_else(|| last.clone()),
                path,
                public,
            });
        }
    }
}

/// Splits a tree of `use` at the commas that are outside inner braces.
fn branches<'a, 'b>(tree: &'b [Token<'a>]) -> Vec<&'b [Token<'a>]> {
    let mut depth = 0_usize;
    tree.split(|token| {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *token == Token::Mark(',')
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(scan: &Scan) -> Vec<String> {
        scan.paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn items_are_those_at_the_top() {
        let scan = scan(
            "pub const A: u8 = 1; const fn b() { fn no() {} } static mut C: D = 1; type E = fn(u8); impl X { fn no2() {} }
             macro_rules! f { () => {} } mod g; mod h { } pub(crate) struct I; unsafe trait J {} const _: () = ();",
        );
        let defined: Vec<&str> = scan.defines.iter().map(String::as_str).collect();
        assert_eq!(defined, ["A", "C", "E", "I", "J", "_", "b", "f", "h"]);
    }

    #[test]
    fn imports_have_their_whole_paths() {
        let scan = scan(
            "use a::{b, c::{self, D as E}, f::*}; pub(crate) use super::g; pub use self::h; fn i() -> impl J + use<'_> {}",
        );
        let imports: Vec<(&str, String, bool)> = scan
            .imports
            .iter()
            .map(|import| (import.name.as_str(), import.path.join("::"), import.public))
            .collect();
        assert_eq!(
            imports,
            [
                ("b", "a::b".to_owned(), false),
                ("c", "a::c".to_owned(), false),
                ("E", "a::c::D".to_owned(), false),
                ("*", "a::f".to_owned(), false),
                ("g", "super::g".to_owned(), true),
                ("h", "self::h".to_owned(), true),
            ]
        );
    }

    #[test]
    fn paths_are_neither_fields_nor_imports() {
        let scan = scan("use x::y; mod z; fn a(k: l) { b.c(d::e::<f::G>::h(), ..i(), 0..J) }");
        assert_eq!(paths(&scan), ["J", "d::e", "f::G", "i"]);
    }
}
