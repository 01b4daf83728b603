//! A part of the shell's language, read into lists of commands.

use super::{
    Why,
    lex::{Part, Token, Word, is_name, plain, text, tokens},
};

/// How deeply commands may be nested.
const MAX_DEPTH: usize = 40;

/// Commands in a row; each has how it hangs on the one before.
pub(super) type List = Vec<(After, Command)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Always,
    Success,
    Failure,
}

#[derive(Debug)]
pub(super) enum Command {
    Assign(String, Word),
    /// What is printed, and whether a line ends behind it.
    Echo(Vec<Word>, bool),
    /// `seq`: numbers, a line each.
    Sequence(Vec<Word>),
    Test(Test),
    /// `true`, `:`; `false`.
    Status(bool),
    Sleep,
    Exit(Option<Word>),
    Not(Box<Command>),
    If(Vec<(List, List)>, List),
    For(String, Vec<Word>, List),
    /// The condition, the body, and whether it goes on until the condition holds.
    While(List, List, bool),
    Break,
    Continue,
    Group(List),
    Pipe(Box<Command>, Vec<Filter>),
}

#[derive(Debug)]
pub(super) enum Filter {
    /// A plain text that must be within; and whether case counts not.
    Grep(Word, bool),
    Upper,
    Lower,
    Delete(String),
    Count(char),
    Cat,
    Head(u64),
    Tail(u64),
}

#[derive(Debug)]
pub(super) enum Test {
    Empty(Word, bool),
    Text(Word, bool, Word),
    /// Two whole numbers, and how they are compared in Luau.
    Number(Word, &'static str, Word),
    Not(Box<Test>),
}

/// Reads a script.
pub(super) fn script(source: &str) -> Result<List, Why> {
    let source = source.replace("\r\n", "\n").replace("\\\n", " ");
    let tokens = tokens(&source)?;
    let mut reader = Reader {
        tokens,
        at: 0,
        depth: 0,
    };
    let list = reader.list(&[])?;
    match reader.peek() {
        None => Ok(list),
        Some(_) => Err("has a word where none belongs".to_owned()),
    }
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn sign(&self) -> Option<&'static str> {
        match self.peek() {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    fn keyword(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(word)) => plain(word),
            _ => None,
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), Why> {
        if self.keyword() == Some(word) {
            self.at += 1;
            return Ok(());
        }
        Err(format!("has no `{word}` where one belongs"))
    }

    /// Commands up to one of the words that end them.
    fn list(&mut self, ends: &[&str]) -> Result<List, Why> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        let mut list = List::new();
        let mut after = After::Always;
        loop {
            while matches!(self.sign(), Some("\n" | ";")) {
                self.at += 1;
            }
            if self.peek().is_none() || self.keyword().is_some_and(|word| ends.contains(&word)) {
                break;
            }
            let command = self.pipe()?;
            list.push((after, command));
            after = match self.sign() {
                Some("&&") => After::Success,
                Some("||") => After::Failure,
                _ => After::Always,
            };
            if after != After::Always {
                self.at += 1;
            } else if self.peek().is_some() && !matches!(self.sign(), Some("\n" | ";")) {
                return Err("has a word where none belongs".to_owned());
            }
        }
        self.depth -= 1;
        if after != After::Always {
            return Err("ends with `&&` or `||`".to_owned());
        }
        Ok(list)
    }

    fn pipe(&mut self) -> Result<Command, Why> {
        if self.keyword() == Some("!") {
            self.at += 1;
            return Ok(Command::Not(Box::new(self.pipe()?)));
        }
        let first = self.command()?;
        let mut filters = Vec::new();
        while self.sign() == Some("|") {
            self.at += 1;
            let words = self.words();
            filters.push(filter(&words)?);
        }
        Ok(if filters.is_empty() {
            first
        } else {
            Command::Pipe(Box::new(first), filters)
        })
    }

    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            words.push(word.clone());
            self.at += 1;
        }
        words
    }

    fn command(&mut self) -> Result<Command, Why> {
        match self.keyword() {
            Some("if") => return self.choice(),
            Some("for") => return self.each(),
            Some(word @ ("while" | "until")) => {
                let until = word == "until";
                self.at += 1;
                let test = self.list(&["do"])?;
                self.expect("do")?;
                let body = self.list(&["done"])?;
                self.expect("done")?;
                return Ok(Command::While(test, body, until));
            }
            Some("{") => {
                self.at += 1;
                let body = self.list(&["}"])?;
                self.expect("}")?;
                return Ok(Command::Group(body));
            }
            _ => {}
        }
        let words = self.words();
        let Some(first) = words.first() else {
            return Err("has a sign where a command belongs".to_owned());
        };
        if let Some(command) = assignment(first) {
            if words.len() > 1 {
                return Err("sets a variable for a program".to_owned());
            }
            return Ok(command);
        }
        simple(
            plain(first).ok_or("runs what a variable names")?,
            &words[1..],
        )
    }

    fn choice(&mut self) -> Result<Command, Why> {
        self.at += 1;
        let mut ways = Vec::new();
        let mut other = List::new();
        loop {
            let test = self.list(&["then"])?;
            self.expect("then")?;
            let body = self.list(&["elif", "else", "fi"])?;
            ways.push((test, body));
            match self.keyword() {
                Some("elif") => self.at += 1,
                Some("else") => {
                    self.at += 1;
                    other = self.list(&["fi"])?;
                    self.expect("fi")?;
                    return Ok(Command::If(ways, other));
                }
                _ => {
                    self.expect("fi")?;
                    return Ok(Command::If(ways, other));
                }
            }
        }
    }

    fn each(&mut self) -> Result<Command, Why> {
        self.at += 1;
        let name = self
            .keyword()
            .filter(|name| is_name(name))
            .map(str::to_owned)
            .ok_or("has a `for` without a name")?;
        self.at += 1;
        self.expect("in")?;
        let words = self.words();
        while matches!(self.sign(), Some("\n" | ";")) {
            self.at += 1;
        }
        self.expect("do")?;
        let body = self.list(&["done"])?;
        self.expect("done")?;
        Ok(Command::For(name, words, body))
    }
}

fn assignment(word: &Word) -> Option<Command> {
    let Part::Text(first) = word.first()? else {
        return None;
    };
    let (name, value) = first.split_once('=').filter(|(name, _)| is_name(name))?;
    let mut rest = Word::new();
    text(&mut rest, value);
    rest.extend(word[1..].iter().cloned());
    Some(Command::Assign(name.to_owned(), rest))
}

fn simple(name: &str, words: &[Word]) -> Result<Command, Why> {
    Ok(match name {
        "echo" => {
            let (line, words) = match words.first().and_then(plain) {
                Some("-n") => (false, &words[1..]),
                Some(option) if option.starts_with("-e") || option.starts_with("-E") => {
                    return Err("prints with escapes".to_owned());
                }
                _ => (true, words),
            };
            Command::Echo(words.to_vec(), line)
        }
        "printf" => match words {
            [only]
                if plain(only).is_some_and(|text| !text.contains('%') && !text.contains('\\')) =>
            {
                Command::Echo(words.to_vec(), false)
            }
            [format, value] if matches!(plain(format), Some("%s")) => {
                Command::Echo(vec![value.clone()], false)
            }
            [format, value] if matches!(plain(format), Some("%s\\n")) => {
                Command::Echo(vec![value.clone()], true)
            }
            _ => return Err("prints by a format".to_owned()),
        },
        "seq" => Command::Sequence(words.to_vec()),
        "true" | ":" => Command::Status(true),
        "false" => Command::Status(false),
        "sleep" => Command::Sleep,
        // Options of the shell itself that change nothing here, for nothing fails unseen.
        "set"
            if words.iter().all(|word| {
                plain(word).is_some_and(|word| {
                    ["-e", "-u", "-eu", "-o", "pipefail", "-euo"].contains(&word)
                })
            }) =>
        {
            if words
                .iter()
                .any(|word| plain(word).is_some_and(|word| word.starts_with("-e")))
            {
                return Err("ends at the first failure (`set -e`)".to_owned());
            }
            Command::Status(true)
        }
        "exit" if words.len() <= 1 => Command::Exit(words.first().cloned()),
        "break" if words.is_empty() => Command::Break,
        "continue" if words.is_empty() => Command::Continue,
        "[" | "[[" => {
            let close = if name == "[" { "]" } else { "]]" };
            match words.split_last() {
                Some((last, words)) if plain(last) == Some(close) => {
                    Command::Test(condition(words)?)
                }
                _ => return Err(format!("has `{name}` without `{close}`")),
            }
        }
        "test" => Command::Test(condition(words)?),
        other => return Err(format!("runs `{other}`, a program of this computer")),
    })
}

fn condition(words: &[Word]) -> Result<Test, Why> {
    if let Some((first, rest)) = words.split_first()
        && plain(first) == Some("!")
    {
        return Ok(Test::Not(Box::new(condition(rest)?)));
    }
    Ok(match words {
        [one] => Test::Empty(one.clone(), false),
        [sign, one] => match plain(sign) {
            Some("-z") => Test::Empty(one.clone(), true),
            Some("-n") => Test::Empty(one.clone(), false),
            Some(other) => return Err(format!("asks `{other}` of a file")),
            None => return Err("has a test that cannot be told".to_owned()),
        },
        [one, sign, other] => {
            let number = |sign| Test::Number(one.clone(), sign, other.clone());
            match plain(sign) {
                Some("=" | "==") => Test::Text(one.clone(), true, other.clone()),
                Some("!=") => Test::Text(one.clone(), false, other.clone()),
                Some("-eq") => number("=="),
                Some("-ne") => number("~="),
                Some("-lt") => number("<"),
                Some("-le") => number("<="),
                Some("-gt") => number(">"),
                Some("-ge") => number(">="),
                other => return Err(format!("has the test `{}`", other.unwrap_or("…"))),
            }
        }
        _ => return Err("has a test of several parts".to_owned()),
    })
}

fn filter(words: &[Word]) -> Result<Filter, Why> {
    let plains: Vec<Option<&str>> = words.iter().map(plain).collect();
    let count = |text: Option<&str>| {
        text.and_then(|text| {
            text.trim_start_matches('-')
                .trim_start_matches('n')
                .parse()
                .ok()
        })
    };
    Ok(match plains.as_slice() {
        [Some("grep"), Some(options), _]
            if options.starts_with('-')
                && options[1..].chars().all(|c| "qFi".contains(c))
                && options.contains('q') =>
        {
            let word = words[2].clone();
            let is_pattern = |text: &str| text.contains(|c: char| ".*[]^$\\+?|(){}".contains(c));
            let fixed = options.contains('F')
                || word.iter().all(|part| {
                    !matches!(part, Part::Text(text) if is_pattern(text))
                        && matches!(part, Part::Text(_))
                });
            if !fixed {
                return Err("looks for a pattern with `grep`".to_owned());
            }
            Filter::Grep(word, options.contains('i'))
        }
        [
            Some("tr"),
            Some("[:lower:]" | "a-z"),
            Some("[:upper:]" | "A-Z"),
        ] => Filter::Upper,
        [
            Some("tr"),
            Some("[:upper:]" | "A-Z"),
            Some("[:lower:]" | "a-z"),
        ] => Filter::Lower,
        [Some("tr"), Some("-d"), Some(set)]
            if !set.is_empty() && !set.contains(['[', '-', '\\']) =>
        {
            Filter::Delete((*set).to_owned())
        }
        [Some("wc"), Some(option @ ("-l" | "-w" | "-c"))] => {
            Filter::Count(option.chars().last().unwrap_or('l'))
        }
        [Some("cat")] => Filter::Cat,
        [Some("head"), lines] | [Some("head"), Some("-n"), lines] if count(*lines).is_some() => {
            Filter::Head(count(*lines).unwrap_or(10))
        }
        [Some("tail"), lines] | [Some("tail"), Some("-n"), lines] if count(*lines).is_some() => {
            Filter::Tail(count(*lines).unwrap_or(10))
        }
        [Some(name), ..] => return Err(format!("pipes into `{name}`")),
        _ => return Err("pipes into what a variable names".to_owned()),
    })
}
