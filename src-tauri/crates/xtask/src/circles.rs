//! Finds dependency cycles among the files of a crate. To understand one file of a cycle, one has to read all of them.
//!
//! A file uses another file if it names one of that file's items, in a `use` or by a path. Declaring a module or re-exporting a
//! name (`pub use`) does not count. A file that names a re-exported item uses the file that defines the item.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    report::Complaints,
    scan::{Import, Scan, scan},
};

/// A dependency cycle that is permitted for now.
struct Known {
    /// The folder of the sources.
    source: &'static str,
    /// Every file of the cycle.
    files: &'static [&'static str],
    /// Why the cycle exists, and which change would remove it.
    why: &'static str,
}

const KNOWN: &[Known] = &[];

/// Reports every dependency cycle that is not in [`KNOWN`]. `files` contains the names of all Rust sources, relative to the
/// root of the project, and their contents.
pub(crate) fn circles(files: &[(&str, String)], complaints: &mut Complaints) {
    judge(files, KNOWN, complaints);
}

fn judge(files: &[(&str, String)], known: &[Known], complaints: &mut Complaints) {
    let mut crates = BTreeMap::<&str, BTreeMap<&str, Scan>>::new();
    for (name, text) in files {
        if let Some((source, file)) = place(name) {
            crates.entry(source).or_default().insert(file, scan(text));
        }
    }
    let mut met = vec![false; known.len()];
    for (source, files) in &crates {
        let uses = Crate::new(files).uses();
        for circle in circles_of(&uses) {
            let entry = known.iter().position(|known| {
                known.source == *source && circle.iter().all(|file| known.files.contains(file))
            });
            match entry.and_then(|entry| met.get_mut(entry)) {
                Some(met) => *met = true,
                None => complaints.add(source, words(&shortest(&circle, &uses), &uses)),
            }
        }
    }
    for (known, _) in known.iter().zip(met).filter(|(_, met)| !met) {
        complaints.add(
            known.source,
            format!(
                "the dependency cycle of {} ({}) no longer exists; remove it from KNOWN in xtask's circles.rs",
                known.files.join(", "),
                known.why
            ),
        );
    }
}

/// Splits the name of a source into the folder of its crate's sources and the file in it; `None` if it is not a Rust source
/// of a crate.
fn place(name: &str) -> Option<(&str, &str)> {
    let file = name.strip_suffix(".rs")?;
    let inner = file.strip_prefix("src-tauri/")?;
    let (krate, _) = match inner.strip_prefix("crates/") {
        Some(inner) => inner.split_once("/src/")?,
        None => ("", inner.strip_prefix("src/")?),
    };
    let source = if krate.is_empty() {
        "src-tauri/src".len()
    } else {
        "src-tauri/crates/".len() + krate.len() + "/src".len()
    };
    Some((&name[..source], &name[source + 1..]))
}

/// For each file, the files that it uses and the names that it uses from each of them.
type Uses<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeSet<String>>>;

struct Crate<'a> {
    files: &'a BTreeMap<&'a str, Scan>,
    modules: BTreeMap<Vec<&'a str>, &'a str>,
}

impl<'a> Crate<'a> {
    fn new(files: &'a BTreeMap<&'a str, Scan>) -> Self {
        let tests: Vec<Vec<&str>> = files
            .iter()
            .flat_map(|(file, scan)| {
                let tests = scan.test_modules.iter().map(String::as_str);
                tests.map(|test| [module_of(file), vec![test]].concat())
            })
            .collect();
        let modules = files
            .keys()
            // If the crate has a library, `main.rs` is a separate program that no file of the library can use.
            .filter(|file| **file != "main.rs" || !files.contains_key("lib.rs"))
            .map(|file| (module_of(file), *file))
            .filter(|(module, _)| !tests.iter().any(|test| module.starts_with(test)))
            .collect();
        Self { files, modules }
    }

    fn uses(&self) -> Uses<'a> {
        let mut uses = Uses::new();
        for (module, file) in &self.modules {
            let mine = uses.entry(file).or_default();
            let mut add = |path: &[&str]| {
                if let Some((used, name)) = self.resolve(module, path, 0)
                    && used != *file
                {
                    mine.entry(used).or_default().insert(name.to_owned());
                }
            };
            let scan = &self.files[file];
            for import in scan.imports.iter().filter(|import| !import.public) {
                add(&path_of(import));
            }
            for path in &scan.paths {
                add(&path.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
        uses
    }

    /// Finds the item to which a path in `module` refers. Returns the file that defines the item, and the item's name in that
    /// file. Returns `None` for a module, or for a name of another crate.
    fn resolve<'p>(
        &self,
        module: &[&'p str],
        path: &[&'p str],
        depth: usize,
    ) -> Option<(&'a str, &'p str)>
    where
        'a: 'p,
    {
        let (first, rest) = path.split_first()?;
        match *first {
            "crate" => self.item(&[], rest, depth),
            "self" => self.item(module, rest, depth),
            "super" => {
                let above = &module[..module.len().saturating_sub(1)];
                match rest.first() {
                    Some(&"super") => self.resolve(above, rest, depth),
                    _ => self.item(above, rest, depth),
                }
            }
            _ => self.item(module, path, depth),
        }
    }

    /// Follows `path` from `module` through modules and re-exports. Returns the file that defines the item, and the item's name
    /// in that file, or `None` if it is not found.
    fn item<'p>(
        &self,
        module: &[&'p str],
        path: &[&'p str],
        depth: usize,
    ) -> Option<(&'a str, &'p str)>
    where
        'a: 'p,
    {
        // Re-exports can form a cycle.
        if depth > 16 {
            return None;
        }
        let file = *self.modules.get(module)?;
        let (first, rest) = path.split_first()?;
        let scan = &self.files[file];
        let inner = [module, &[*first]].concat();
        let found = self.item(&inner, rest, depth);
        if found.is_some() {
            return found;
        }
        let is_module = self.modules.contains_key(&inner);
        if scan.defines.contains(*first) {
            return Some((file, first));
        }
        scan.imports
            .iter()
            .filter(|import| import.path != [*first])
            .filter_map(|import| {
                let behind = match import.name.as_str() {
                    "*" if !is_module && self.is_here(module, import) => path,
                    name if name == *first => rest,
                    _ => return None,
                };
                Some([&path_of(import), behind].concat())
            })
            .find_map(|path| self.resolve(module, &path, depth + 1))
    }

    /// Returns whether the path of an import starts in this crate.
    fn is_here(&self, module: &[&str], import: &Import) -> bool {
        let first = import.path.first().map_or("", String::as_str);
        ["crate", "self", "super"].contains(&first)
            || self.modules.contains_key(&[module, &[first]].concat())
    }
}

fn path_of(import: &Import) -> Vec<&str> {
    import.path.iter().map(String::as_str).collect()
}

fn module_of(file: &str) -> Vec<&str> {
    let mut module: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    if module.last() == Some(&"mod") || module == ["lib"] || module == ["main"] {
        module.pop();
    }
    module
}

/// Returns the strongly connected components that contain a cycle: the largest sets of files in which each file uses every
/// other file, directly or through other files.
fn circles_of<'a>(uses: &Uses<'a>) -> Vec<BTreeSet<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses
        .keys()
        .map(|file| (*file, reached(file, uses)))
        .collect();
    let mut circles = BTreeSet::new();
    for file in uses.keys().filter(|file| reached[*file].contains(*file)) {
        let circle: BTreeSet<&'a str> = uses
            .keys()
            .copied()
            .filter(|other| reached[file].contains(other) && reached[other].contains(file))
            .collect();
        circles.insert(circle);
    }
    circles.into_iter().collect()
}

fn reached<'a>(from: &str, uses: &Uses<'a>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for used in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*used) {
                open.push(used);
            }
        }
    }
    reached
}

/// Returns the shortest dependency cycle among the files of `circle`, in the order in which each file uses the next.
fn shortest<'a>(circle: &BTreeSet<&'a str>, uses: &Uses<'a>) -> Vec<&'a str> {
    let ways = circle.iter().filter_map(|start| {
        let mut open = VecDeque::from([vec![*start]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = open.pop_front() {
            let last = way.last()?;
            for next in uses.get(last)?.keys().filter(|next| circle.contains(*next)) {
                if next == start {
                    return Some(way);
                }
                if seen.insert(*next) {
                    open.push_back([way.as_slice(), &[*next]].concat());
                }
            }
        }
        None
    });
    ways.min_by_key(Vec::len).unwrap_or_default()
}

fn words(circle: &[&str], uses: &Uses) -> String {
    let mut words = "these files form a dependency cycle:".to_owned();
    for (at, file) in circle.iter().enumerate() {
        let next = circle[(at + 1) % circle.len()];
        let names: Vec<&str> = uses[file][next].iter().map(String::as_str).collect();
        words.push_str(&format!(
            "\n  {file} uses `{}` of {next}",
            names.join("`, `")
        ));
    }
    words.push_str(
        "\n  Move what they share into a file that is named for it, or merge files that cannot do without each other.",
    );
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], known: &[Known]) -> Vec<String> {
        let mut complaints = Complaints::default();
        let names: Vec<String> = files
            .iter()
            .map(|(file, _)| format!("src-tauri/crates/engine/src/{file}"))
            .collect();
        let texts = files.iter().map(|(_, text)| (*text).to_owned());
        let files: Vec<(&str, String)> = names.iter().map(String::as_str).zip(texts).collect();
        judge(&files, known, &mut complaints);
        complaints.list().to_vec()
    }

    #[test]
    fn a_circle_is_told_with_the_names_that_make_it() {
        let two = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::{self, B}; pub struct A(B, b::C);"),
            ("b.rs", "pub struct B; pub struct C; fn d(a: &super::A) {}"),
        ];
        let complaints = found(&two, &[]);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].starts_with(
                "src-tauri/crates/engine/src: these files form a dependency cycle:
  a.rs uses `B`, `C` of b.rs
  b.rs uses `A` of a.rs
  Move"
            ),
            "{complaints:?}"
        );
    }

    #[test]
    fn the_shortest_circle_of_many_files_is_told() {
        let many = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "use crate::{a::A, d::D}; pub struct C;"),
            ("d.rs", "use crate::c::C; pub struct D;"),
        ];
        let complaints = found(&many, &[]);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].contains("c.rs uses `D` of d.rs\n  d.rs uses `C` of c.rs\n"),
            "{complaints:?}"
        );
    }

    #[test]
    fn names_are_followed_to_the_file_that_defines_them() {
        let of = |a: &str, b: &str| {
            let files = [
                ("lib.rs", "mod a; mod b; pub use a::*; pub use b::b;"),
                ("a/mod.rs", a),
                ("a/c.rs", "use super::A; pub struct C;"),
                ("b.rs", b),
            ];
            found(&files, &[]).len()
        };
        for (a, b, circles) in [
            // A declared module and a re-exported name.
            ("mod c; pub use c::C; pub struct A;", "pub fn b() {}", 0),
            ("mod c; pub use c::C; pub struct A; fn d(_: C) {}", "", 1),
            ("mod c; pub use c::C as c; pub struct A;", "", 0),
            ("mod c; pub struct A(c::C);", "", 1),
            ("mod c; use c::C; pub struct A;", "", 1),
            // A re-exported name belongs to the file that defines it.
            (
                "mod c; pub use c::C; pub use crate::b::A;",
                "pub struct A;",
                0,
            ),
            (
                "mod c; pub use c::C; pub use crate::b::A;",
                "use crate::C; pub struct A;",
                1,
            ),
            // A function with the same name as its module.
            (
                "use crate::b; pub fn d() { b() }",
                "use crate::d; pub fn b() {}",
                1,
            ),
            (
                "pub fn d() { super::b::b() }",
                "pub fn b() { crate::a::d() }",
                1,
            ),
            (
                "pub fn d() {} fn e() { crate::b() }",
                "#[cfg(test)] use crate::d; pub fn b() {}",
                0,
            ),
            (
                "pub fn d() {} fn e() { crate::b() }",
                "// crate::d()\npub fn b() {}",
                0,
            ),
        ] {
            assert_eq!(of(a, b), circles, "{a} and {b}");
        }
    }

    #[test]
    fn files_of_tests_are_in_no_circle() {
        let files = [
            ("lib.rs", "mod a; #[cfg(test)] mod tests;"),
            ("a.rs", "pub fn a() {} fn b() { crate::tests::c() }"),
            ("tests.rs", "use crate::a::a; pub fn c() {}"),
        ];
        assert!(found(&files, &[]).is_empty());
    }

    #[test]
    fn a_known_circle_may_stay_but_not_grow() {
        let known = [Known {
            source: "src-tauri/crates/engine/src",
            files: &["a.rs", "b.rs"],
            why: "they are one",
        }];
        let files = |c: &'static str| {
            [
                ("lib.rs", "mod a; mod b; mod c;"),
                ("a.rs", "use crate::b::B; pub struct A;"),
                ("b.rs", "use crate::{a::A, c::C}; pub struct B;"),
                ("c.rs", c),
            ]
        };
        assert!(found(&files("pub struct C;"), &known).is_empty());
        let grown = found(&files("use crate::b::B; pub struct C;"), &known);
        assert!(grown[0].contains("uses `"), "{grown:?}");
        let gone = found(&[("lib.rs", "")], &known);
        assert!(gone[0].contains("no longer exists"), "{gone:?}");
    }
}
