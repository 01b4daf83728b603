//! Limits on what grows a little with every change: the methods of a type, and the lines of a crate.
//!
//! The sources are formatted, so an `impl` block ends at the first line that is only a closing brace, and its methods are
//! indented by four spaces.

use std::collections::BTreeMap;

use crate::report::Complaints;

/// The maximum number of public methods of a type.
const MAX_PUBLIC_METHODS: usize = 40;

/// Types whose methods of every visibility are limited, each with its crate and the maximum.
const MAX_METHODS: &[(&str, &str, usize)] = &[("engine", "Run", 80)];

/// Crates whose size is limited: the maximum number of lines without tests.
const MAX_LINES: &[(&str, usize)] = &[("api", 3000)];

/// The methods of a type.
#[derive(Default)]
struct Methods {
    all: usize,
    public: usize,
}

/// Checks the sizes of types and crates. `files` contains the names of all Rust sources, relative to the root of the project,
/// and their contents.
pub(crate) fn sizes(files: &[(&str, String)], complaints: &mut Complaints) {
    let mut types = BTreeMap::<(&str, &str), Methods>::new();
    let mut lines = BTreeMap::<&str, usize>::new();
    for (name, text) in files {
        let Some((krate, file)) = name
            .strip_prefix("src-tauri/crates/")
            .and_then(|name| name.split_once("/src/"))
        else {
            continue;
        };
        if file.starts_with("tests/") || file.ends_with("tests.rs") {
            continue;
        }
        let code: Vec<&str> = text
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .collect();
        *lines.entry(krate).or_default() += code.len();
        for (of, is_public) in methods(&code) {
            let methods = types.entry((krate, of)).or_default();
            methods.all += 1;
            methods.public += usize::from(is_public);
        }
    }
    for ((krate, name), methods) in &types {
        if methods.public > MAX_PUBLIC_METHODS {
            complaints.add(
                krate,
                format!(
                    "`{name}` has {} public methods, more than {MAX_PUBLIC_METHODS}; give a part of them to another type",
                    methods.public
                ),
            );
        }
        for (_, _, most) in MAX_METHODS
            .iter()
            .filter(|(of, limited, most)| of == krate && limited == name && methods.all > *most)
        {
            complaints.add(
                krate,
                format!(
                    "`{name}` has {} methods, more than {most}; give a part of them to another type",
                    methods.all
                ),
            );
        }
    }
    for (krate, most) in MAX_LINES {
        let count = lines.get(krate).copied().unwrap_or_default();
        if count > *most {
            complaints.add(
                krate,
                format!("has {count} lines without tests, more than {most}; move what another crate should own"),
            );
        }
    }
}

/// Returns the type of each method in the inherent `impl` blocks of a source, and whether the method is public.
fn methods<'a>(code: &[&'a str]) -> Vec<(&'a str, bool)> {
    let mut found = Vec::new();
    let mut of = None;
    for line in code {
        match *line {
            "}" => of = None,
            line if line.starts_with("impl") => of = implemented(line),
            line => {
                let method = line
                    .strip_prefix("    ")
                    .filter(|line| !line.starts_with(' '))
                    .filter(|line| is_function(line));
                if let (Some(of), Some(method)) = (of, method) {
                    found.push((of, method.starts_with("pub ")));
                }
            }
        }
    }
    found
}

/// Returns the name of the type that an inherent `impl` block belongs to; `None` if the block implements a trait.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(generics) => generics.split_once("> ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    if rest.contains(" for ") {
        return None;
    }
    let end = rest.find(['<', ' ']).unwrap_or(rest.len());
    let path = rest.get(..end)?;
    Some(path.rsplit("::").next().unwrap_or(path))
}

fn is_function(line: &str) -> bool {
    let words = line.split_whitespace();
    let mut words = words.skip_while(|word| {
        word.starts_with("pub") || ["async", "const", "unsafe"].contains(word) || *word == "in"
    });
    words.next() == Some("fn") || line.starts_with("pub(in ") && line.contains(") fn ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(source: String) -> Vec<String> {
        let mut complaints = Complaints::default();
        sizes(
            &[("src-tauri/crates/engine/src/run/mod.rs", source)],
            &mut complaints,
        );
        complaints.list().to_vec()
    }

    #[test]
    fn methods_are_counted_over_all_blocks_of_a_type() {
        let block = |name: &str, method: &str, count: usize| {
            format!(
                "{name} {{\n{}}}\n",
                format!("    {method} x() {{\n        fn inner() {{}}\n    }}\n").repeat(count)
            )
        };
        let run = |first, second| {
            block("impl Run", "pub(in crate::run) fn", first)
                + &block("impl Run", "async fn", second)
        };
        assert!(complaints(run(40, 40)).is_empty());
        assert_eq!(complaints(run(41, 40)).len(), 1);
        for name in [
            "impl Reader<'_>",
            "impl<'a> Reader<'a>",
            "impl read::Reader",
        ] {
            let found = complaints(block(name, "pub fn", 41)).concat();
            assert!(found.contains("`Reader` has 41 public methods"), "{found}");
        }
        let of_trait = block("impl Display for Reader", "pub fn", 41);
        assert!(complaints(of_trait).is_empty());
        let tests = format!("#[cfg(test)]\n{}", block("impl Reader", "pub fn", 41));
        assert!(complaints(tests).is_empty());
    }
}
