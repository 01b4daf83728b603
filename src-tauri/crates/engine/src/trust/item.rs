//! The written form of items: in the file of approvals, in `--allow`, and for people. Each item can be read in only one way,
//! because the parts of a command line and its folder are quoted as for a shell, and the name of a key contains no `@`.

use std::{borrow::Cow, iter::Peekable, str::Chars};

use super::need::{ANY, Need, NeedKind};

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    One(String),
    /// The position of the words that are inserted when an agent continues a session.
    Resumed(Vec<String>),
}

/// A program with its arguments and its working folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub words: Vec<Word>,
    pub folder: String,
}

/// Returns `word` quoted as for a shell. `{` and `}` are not quoted, because they enclose the name of an inserted value.
fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@{}".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

fn joined(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

impl CommandLine {
    pub fn new(words: impl IntoIterator<Item = Word>, folder: impl Into<String>) -> Self {
        Self {
            words: words.into_iter().collect(),
            folder: folder.into(),
        }
    }

    /// Formats the command line with its folder, as in `make 'all of it' in /home/me/project`.
    fn written(&self) -> String {
        format!("{} in {}", self.written_words(), quoted(&self.folder))
    }

    fn written_words(&self) -> String {
        let words: Vec<_> = self
            .words
            .iter()
            .map(|word| match word {
                Word::One(word) => quoted(word),
                Word::Resumed(words) => Cow::Owned(format!("[resumed: {}]", joined(words))),
            })
            .collect();
        words.join(" ")
    }

    /// Reads the result of [`Self::written`]. Returns `None` if `text` is not a command line with its folder.
    fn read(text: &str) -> Option<Self> {
        let mut parts = parts(text)?;
        let folder = parts.pop()?;
        let between = parts.pop()?;
        match (between, folder) {
            (Part::Bare(between), Part::Bare(folder) | Part::Quoted(folder)) if between == "in" => {
                Some(Self::new(words(parts)?, folder))
            }
            _ => None,
        }
    }

    /// Returns the possible readings of an item of an earlier version, in which the folder is not quoted.
    fn earlier_readings(text: &str) -> Vec<Self> {
        let is_folder = |folder: &str| folder == "." || std::path::Path::new(folder).has_root();
        text.match_indices(" in ")
            .filter_map(|(at, between)| {
                let folder = &text[at + between.len()..];
                let line = Self::new(words(parts(&text[..at])?)?, folder);
                // Earlier versions quoted words as this version does, so writing a correct reading reproduces the text.
                (is_folder(folder) && line.written_words() == text[..at]).then_some(line)
            })
            .collect()
    }
}

/// One part of a command line whose words are quoted as for a shell.
enum Part {
    /// Unquoted text.
    Bare(String),
    Quoted(String),
    /// The marker `[resumed:`, which begins the words that are inserted when an agent continues a session.
    Open,
    /// The marker `]`, which follows the words that began with [`Part::Open`].
    Close,
}

const OPEN: &str = "[resumed:";

/// Splits `text` at its spaces. Returns `None` if a quotation does not end, or if an unquoted character must be quoted.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut rest = text.chars().peekable();
    let mut parts = Vec::new();
    while let Some(&next) = rest.peek() {
        match next {
            ' ' => {
                rest.next();
            }
            '[' => {
                OPEN.chars()
                    .all(|char| rest.next() == Some(char))
                    .then_some(())?;
                parts.push(Part::Open);
            }
            ']' => {
                rest.next();
                parts.push(Part::Close);
            }
            _ => parts.push(word(&mut rest)?),
        }
    }
    Some(parts)
}

fn word(rest: &mut Peekable<Chars<'_>>) -> Option<Part> {
    let (mut word, mut is_quoted) = (String::new(), false);
    while let Some(&next) = rest.peek() {
        match next {
            ' ' | ']' => break,
            '\'' => {
                rest.next();
                is_quoted = true;
                loop {
                    match rest.next()? {
                        '\'' => break,
                        char => word.push(char),
                    }
                }
            }
            '\\' => {
                rest.next();
                is_quoted = true;
                word.push(rest.next()?);
            }
            '"' | '$' | '`' | '[' => return None,
            char => {
                rest.next();
                word.push(char);
            }
        }
    }
    Some(match is_quoted {
        true => Part::Quoted(word),
        false => Part::Bare(word),
    })
}

fn words(parts: Vec<Part>) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut resumed: Option<Vec<String>> = None;
    for part in parts {
        match (part, &mut resumed) {
            (Part::Bare(word) | Part::Quoted(word), None) => words.push(Word::One(word)),
            (Part::Bare(word) | Part::Quoted(word), Some(group)) => group.push(word),
            (Part::Open, None) => resumed = Some(Vec::new()),
            (Part::Close, Some(_)) => words.extend(resumed.take().map(Word::Resumed)),
            (Part::Open, Some(_)) | (Part::Close, None) => return None,
        }
    }
    (resumed.is_none() && !words.is_empty()).then_some(words)
}

/// Returns the name of a key with `@` and `%` percent-encoded, because `@` ends the name.
fn key_name(name: &str) -> Cow<'_, str> {
    if name.contains(['@', '%']) {
        Cow::Owned(name.replace('%', "%25").replace('@', "%40"))
    } else {
        Cow::Borrowed(name)
    }
}

impl Need {
    /// Creates the need to start a program.
    pub fn command(line: &CommandLine) -> Self {
        Self::new(NeedKind::Command, line.written())
    }

    /// Creates the need to send the secret `name` to `destination`: an origin such as `https://api.example.org:8443`, or
    /// `agent:<name>`. The destination is [`ANY`] if it is not known before the flow runs.
    pub fn key(name: &str, destination: &str) -> Self {
        Self::new(NeedKind::Key, format!("{}@{destination}", key_name(name)))
    }

    /// Returns the item that names this need in grants, such as `host:api.example.org`.
    pub fn item(&self) -> String {
        format!("{}:{}", self.kind.as_str(), self.what)
    }

    /// Reads an item. A command line must be in this program's form. Returns `None` if `item` is malformed.
    pub fn of_item(item: &str) -> Option<Self> {
        let (kind, what) = item.split_once(':')?;
        let kind = NeedKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .filter(|_| !what.is_empty())?;
        Some(match kind {
            NeedKind::Command if what != ANY => Self::command(&CommandLine::read(what)?),
            _ => Self::new(kind, what),
        })
    }

    /// Returns the command-line option that allows this need for one run, quoted for a shell. Only this function may write such
    /// an option, because the need's text may come from a flow, a model or a web page.
    pub fn allow_option(&self) -> String {
        format!("--allow {}", for_shell(&self.as_argument()))
    }

    /// Returns the item in the form of `--allow` and `--approve`. A comma separates items there, so commas in the item are
    /// doubled. An item that is a command line must be the only item.
    pub fn as_argument(&self) -> String {
        match self.kind {
            NeedKind::Command => self.item(),
            _ => self.item().replace(',', ",,"),
        }
    }

    /// Returns the remedy, as a sentence, for the case that this need is refused.
    pub fn how_to_allow(&self) -> String {
        format!(
            "Approve it when the run asks for it, or run the flow with {}",
            self.allow_option()
        )
    }
}

/// Returns `word`, quoted if needed, so that every shell reads it literally.
pub fn for_shell(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:@#".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Splits a list of items at its commas. A double comma is a comma inside an item. A command line must be the only item.
pub fn list_of_items(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    if list.trim_start().starts_with("command:") {
        return vec![list.trim_start().to_owned()];
    }
    let mut rest = list.chars().peekable();
    while let Some(char) = rest.next() {
        match (char, items.last_mut()) {
            (',', Some(item)) if !item.is_empty() && rest.peek() == Some(&',') => {
                rest.next();
                item.push(',');
            }
            (',', _) => items.push(String::new()),
            // No item begins with a space, so spaces before an item are skipped.
            (' ', Some(item)) if item.is_empty() => {}
            (char, Some(item)) => item.push(char),
            (_, None) => {}
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Converts an item of an earlier version to the current form. Returns `None` if the item can be read in more than one way. A
/// person must then approve it again.
pub fn migrated(item: &str) -> Option<String> {
    match item.split_once(':') {
        Some(("command", what)) if what != ANY => {
            let mut readings = CommandLine::earlier_readings(what);
            let only = readings.pop().filter(|_| readings.is_empty())?;
            Some(Need::command(&only).item())
        }
        Some(("key", what)) if what.contains('@') => {
            let is_destination = |to: &str| {
                to == ANY
                    || ["http://", "https://", "agent:", "command:"]
                        .iter()
                        .any(|begins| to.starts_with(begins))
            };
            let mut readings = what
                .match_indices('@')
                .map(|(at, _)| (&what[..at], &what[at + 1..]))
                .filter(|(_, to)| is_destination(to));
            let (name, to) = readings.next()?;
            match readings.next() {
                None => Some(Need::key(name, to).item()),
                Some(_) => None,
            }
        }
        _ => Some(item.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A generator of random numbers that are the same in every run of the test (SplitMix64, Steele et al. 2014).
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            usize::try_from((z ^ (z >> 31)) % most as u64).unwrap()
        }

        /// Returns a random string of pieces that resemble those of the grammar.
        fn text(&mut self) -> String {
            const PIECES: [&str; 42] = [
                "a",
                "in",
                " in ",
                "/x",
                "/",
                ".",
                ",",
                ",,",
                ":",
                "@",
                "%",
                "%40",
                "'",
                "\\",
                "\"",
                "$(id)",
                "`id`",
                "[",
                "]",
                "[resumed:",
                " ",
                "  ",
                "\t",
                "\n",
                "all",
                "host:*",
                "read:/",
                "command:",
                "{{ x }}",
                "{1..3}",
                "{a,b}",
                "*",
                "#",
                "!",
                "~",
                "-",
                "--allow",
                ";",
                "&",
                "ž",
                "日",
                "\u{202e}",
            ];
            let count = 1 + self.below(5);
            (0..count)
                .map(|_| PIECES[self.below(PIECES.len())])
                .collect()
        }

        fn texts(&mut self, most: usize) -> Vec<String> {
            let count = self.below(most);
            (0..count).map(|_| self.text()).collect()
        }

        fn need(&mut self) -> Need {
            match NeedKind::ALL[self.below(NeedKind::ALL.len())] {
                NeedKind::Command => {
                    let mut words = vec![Word::One(self.text())];
                    words.extend(self.texts(4).into_iter().map(Word::One));
                    if self.below(3) == 0 {
                        words.push(Word::Resumed(self.texts(3)));
                        words.extend(self.texts(2).into_iter().map(Word::One));
                    }
                    Need::command(&CommandLine::new(words, format!("/{}", self.text())))
                }
                NeedKind::Key => {
                    let to = ["https://a.example", "agent:", "command:"][self.below(3)];
                    Need::key(&self.text(), &format!("{to}{}", self.text()))
                }
                kind @ (NeedKind::Read | NeedKind::Write) => {
                    Need::new(kind, format!("/{}", self.text()))
                }
                kind => Need::new(kind, self.text()),
            }
        }
    }

    /// Splits `text` into words as a POSIX shell does.
    fn split(text: &str) -> Vec<String> {
        let (mut words, mut word) = (Vec::new(), None::<String>);
        let mut rest = text.chars();
        while let Some(char) = rest.next() {
            match char {
                ' ' | '\t' | '\n' => words.extend(word.take()),
                '\'' => {
                    let word = word.get_or_insert_default();
                    word.extend(rest.by_ref().take_while(|char| *char != '\''));
                }
                '\\' => word.get_or_insert_default().extend(rest.next()),
                char => {
                    let special = "$`\"!&;|<>()*?[]{}~#=%^";
                    let begins = word.is_none();
                    assert!(
                        !special.contains(char) || (char == '#' && !begins),
                        "a shell would see {char} in {text}"
                    );
                    word.get_or_insert_default().push(char);
                }
            }
        }
        words.extend(word);
        words
    }

    #[test]
    fn what_is_printed_reads_as_itself_for_a_million_items() {
        let mut chance = Chance(11);
        for _ in 0..1_000_000 {
            let need = chance.need();
            let words = split(&need.allow_option());
            assert_eq!((words.len(), words[0].as_str()), (2, "--allow"), "{need:?}");
            let items = list_of_items(&words[1]);
            assert_eq!(items, [need.item()], "{need:?}");
            assert_eq!(Need::of_item(&items[0]).as_ref(), Some(&need));
        }
    }

    #[test]
    fn two_command_lines_have_two_texts() {
        let mut chance = Chance(12);
        let mut known: HashMap<String, CommandLine> = HashMap::new();
        for _ in 0..100_000 {
            let mut words = vec![Word::One(chance.text())];
            words.extend(chance.texts(4).into_iter().map(Word::One));
            let line = CommandLine::new(words, format!("/{}", chance.text()));
            let text = line.written();
            assert_eq!(CommandLine::read(&text).as_ref(), Some(&line), "{text}");
            let before = known.insert(text, line.clone());
            assert!(before.is_none_or(|before| before == line));
        }
    }

    #[test]
    fn a_list_is_taken_apart_at_single_commas() {
        for (list, items) in [
            ("host:a,host:b", &["host:a", "host:b"][..]),
            ("host:a, read:/b", &["host:a", "read:/b"]),
            ("read:/x,,all", &["read:/x,all"]),
            ("read:/x,,,all", &["read:/x,", "all"]),
            (",read:/x,,,,y,", &["read:/x,,y"]),
            ("command:echo a,b in /x", &["command:echo a,b in /x"]),
            ("", &[]),
        ] {
            assert_eq!(list_of_items(list), items, "{list}");
        }
    }

    #[test]
    fn what_an_earlier_version_kept_is_read_where_it_means_one_thing() {
        for (before, now) in [
            ("command:make test in /x", Some("command:make test in /x")),
            (
                "command:make test in /home/me/my project",
                Some("command:make test in '/home/me/my project'"),
            ),
            (
                "command:codex exec [resumed: resume {session}] - in /x",
                Some("command:codex exec [resumed: resume {session}] - in /x"),
            ),
            (
                "command:echo 'a in /b' in /x",
                Some("command:echo 'a in /b' in /x"),
            ),
            ("command:echo hi in /x/a in /x/b", None),
            ("command:echo hi", None),
            ("command:*", Some("command:*")),
            ("key:A@https://a.example", Some("key:A@https://a.example")),
            (
                "key:A@B@https://a.example",
                Some("key:A%40B@https://a.example"),
            ),
            ("key:A@command:x@agent:y", None),
            ("key:OLD", Some("key:OLD")),
            ("read:/x,all", Some("read:/x,all")),
        ] {
            assert_eq!(migrated(before).as_deref(), now, "{before}");
        }
    }
}
