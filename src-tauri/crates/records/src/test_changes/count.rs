//! Counts the tests that a file declares, its assertions, and the annotations and calls that keep tests from running.

use super::{mask::code_of, roles::Language};

/// The counts for a file. They are estimates from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counted {
    pub(super) tests: u32,
    /// The number of annotations and calls that skip a test or a group of tests (always or under a condition), or that
    /// expect a test to fail.
    pub(super) skipped: u32,
    /// The number of annotations and calls that select a test or group as the only one to run, such as `it.only`.
    pub(super) only: u32,
    pub(super) assertions: u32,
}

/// Counts the tests, the assertions, and the skipped and selected tests in a file.
pub(super) fn count(text: &[u8], language: Language) -> Counted {
    let code = code_of(text, language);
    let mut counter = Counter {
        code: &code,
        counted: Counted::default(),
    };
    match language {
        Language::JavaScript => counter.each_word(Counter::javascript),
        Language::Python => counter.each_word(Counter::python),
        Language::Rust => {
            counter.each_word(Counter::rust);
            counter.each_attribute(b"#[", Counter::rust_attribute);
        }
        Language::Go => counter.each_word(Counter::go),
        Language::Ruby => counter.each_word(Counter::ruby),
        Language::Jvm => {
            counter.each_word(Counter::jvm);
            counter.each_attribute(b"@", Counter::annotation);
        }
        Language::DotNet => {
            counter.each_word(Counter::dotnet);
            counter.each_attribute(b"[", Counter::dotnet_attribute);
        }
        Language::Php => {
            counter.each_word(Counter::php);
            counter.each_attribute(b"#[", Counter::php_attribute);
        }
        Language::C => counter.each_word(Counter::c),
    }
    counter.counted
}

/// A name in source code, with its surroundings.
#[derive(Clone, Copy)]
struct Word<'c> {
    text: &'c str,
    /// The position of the byte after the name.
    end: usize,
    /// The previous name, or an empty string for the first name.
    previous: &'c str,
    /// The last byte before the name on the same line that is not a space; 0 if only spaces precede the name.
    before: u8,
    /// The first byte after the name on the same line that is not a space; 0 if only spaces follow the name.
    after: u8,
    /// The first name on the same line.
    first: &'c str,
}

impl Word<'_> {
    fn begins_line(&self) -> bool {
        self.before == 0
    }

    fn is_called(&self) -> bool {
        self.after == b'('
    }

    /// Returns whether the name is accessed as a member of one of these objects: `of.word`.
    fn is_member_of(&self, of: &[&str]) -> bool {
        self.before == b'.' && of.contains(&self.previous)
    }
}

struct Counter<'c> {
    code: &'c [u8],
    counted: Counted,
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

impl<'c> Counter<'c> {
    fn byte(&self, at: usize) -> u8 {
        self.code.get(at).copied().unwrap_or(0)
    }

    /// Returns the position after the name that begins at `from`, or `from` itself if no name begins there.
    fn word_end(&self, from: usize) -> usize {
        let rest = self.code.get(from..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_in_word(**byte)).count();
        from + length
    }

    fn text(&self, from: usize, to: usize) -> &'c str {
        let bytes = self.code.get(from..to).unwrap_or_default();
        // A name that is not UTF-8 becomes empty. Every name that is counted is UTF-8.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn skip_spaces(&self, from: usize, is_space: impl Fn(u8) -> bool) -> usize {
        let rest = self.code.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| is_space(**byte)).count()
    }

    fn each_word(&mut self, count: fn(&mut Self, Word<'c>)) {
        let (mut at, mut before, mut previous, mut first) = (0, 0, "", "");
        while at < self.code.len() {
            let end = self.word_end(at);
            if end > at {
                let text = self.text(at, end);
                if first.is_empty() {
                    first = text;
                }
                let after = self.byte(self.skip_spaces(end, is_space));
                let word = Word {
                    text,
                    end,
                    previous,
                    before,
                    after: if after == b'\n' { 0 } else { after },
                    first,
                };
                count(self, word);
                previous = text;
                before = self.byte(end - 1);
                at = end;
                continue;
            }
            match self.byte(at) {
                b'\n' => {
                    before = 0;
                    first = "";
                }
                byte if !is_space(byte) => before = byte,
                _ => {}
            }
            at += 1;
        }
    }

    /// Finds the attributes, which begin with `opening`. For each, calls `count` with the last part of the attribute's
    /// path and the byte after it.
    fn each_attribute(&mut self, opening: &[u8], count: fn(&mut Self, &str, u8)) {
        let mut at = 0;
        // The previous byte of code; 0 at the beginning of a line.
        let mut before = 0;
        while at < self.code.len() {
            let rest = self.code.get(at..).unwrap_or_default();
            // An index, as in `a[b]`, is not an attribute.
            let is_index = opening == b"[" && (is_in_word(before) || before == b')');
            let is_attribute = rest.starts_with(opening) && !is_index;
            let byte = self.byte(at);
            match byte {
                b'\n' => before = 0,
                byte if !is_space(byte) => before = byte,
                _ => {}
            }
            at += 1;
            if !is_attribute {
                continue;
            }
            let mut from = self.skip_spaces(at - 1 + opening.len(), |byte| {
                is_space(byte) || byte == b'<'
            });
            // Each part of a path is read only once, because no part begins another attribute.
            loop {
                let end = self.word_end(from);
                let next = self.skip_spaces(end, is_space);
                let is_path = matches!(self.byte(next), b'.' | b'\\')
                    || (self.byte(next), self.byte(next + 1)) == (b':', b':');
                if end > from && is_path {
                    from = self.skip_spaces(next, |byte| matches!(byte, b'.' | b'\\' | b':'));
                    continue;
                }
                let name = self.text(from, end);
                count(self, name, self.byte(next));
                break;
            }
        }
    }

    /// Reads member accesses such as `.a.b` after a name. Returns the names in them, and the byte that follows.
    fn chain(&self, from: usize) -> (Vec<&'c str>, u8) {
        const MOST: usize = 6;
        let is_space = |byte: u8| byte.is_ascii_whitespace();
        let mut parts = Vec::new();
        let mut at = from;
        while parts.len() < MOST {
            let dot = self.skip_spaces(at, is_space);
            if self.byte(dot) != b'.' {
                break;
            }
            let begin = self.skip_spaces(dot + 1, is_space);
            let end = self.word_end(begin);
            if end == begin {
                break;
            }
            parts.push(self.text(begin, end));
            at = end;
        }
        let after = match self.byte(at) {
            // Type arguments of a function, as in `test<Fixtures>(…)`. A `<` after a space would be a comparison.
            b'<' => b'<',
            _ => self.byte(self.skip_spaces(at, is_space)),
        };
        (parts, after)
    }

    fn test(&mut self) {
        self.counted.tests += 1;
    }

    fn skip(&mut self) {
        self.counted.skipped += 1;
    }

    fn only(&mut self) {
        self.counted.only += 1;
    }

    fn assertion(&mut self, is_one: bool) {
        self.counted.assertions += u32::from(is_one);
    }

    /// Counts a JavaScript name that declares, skips or selects a test, or that is an assertion, in Jest, Vitest, Mocha,
    /// Jasmine, Playwright, node:test or similar libraries.
    fn javascript(&mut self, word: Word<'c>) {
        const KEEPS_OFF: [&str; 6] = ["skip", "todo", "failing", "fails", "fixme", "skipIf"];
        const FORMS: [&str; 6] = [
            "each",
            "for",
            "concurrent",
            "sequential",
            "shuffle",
            "runIf",
        ];
        if word.before == b'.' {
            return;
        }
        match word.text {
            "it" | "test" | "specify" | "t" | "describe" | "suite" | "context" | "ctx" | "this" => {
                let (mut parts, after) = self.chain(word.end);
                if !matches!(after, b'(' | b'`' | b'<')
                    || word.previous == "function" && parts.is_empty()
                {
                    return;
                }
                // `t.test()` is a test in a test; `test.describe()` is a group.
                let is_inner = word.text == "t" && parts.first() == Some(&"test");
                let is_group = parts.first() == Some(&"describe");
                if is_inner || is_group {
                    parts.remove(0);
                }
                let has = |names: &[&str]| parts.iter().any(|part| names.contains(part));
                if !parts
                    .iter()
                    .all(|part| *part == "only" || KEEPS_OFF.contains(part) || FORMS.contains(part))
                {
                    return;
                }
                let is_test = matches!(word.text, "it" | "test" | "specify") && !is_group;
                if is_test || is_inner {
                    self.test();
                }
                // Only a group or a test can be selected as the only one to run, but a running test can also skip itself.
                if has(&KEEPS_OFF) {
                    self.skip();
                } else if has(&["only"]) {
                    self.only();
                }
            }
            "xit" | "xtest" | "xspecify" if word.is_called() => {
                self.test();
                self.skip();
            }
            "xdescribe" | "xcontext" if word.is_called() => self.skip(),
            "fit" if word.is_called() => {
                self.test();
                self.only();
            }
            "fdescribe" | "fcontext" if word.is_called() => self.only(),
            "skip" | "todo" | "only"
                if word.after == b':' && matches!(word.before, b'{' | b',' | 0) =>
            {
                let colon = self.skip_spaces(word.end, is_space);
                let value = self.skip_spaces(colon + 1, is_space);
                match self.text(value, self.word_end(value)) {
                    // The last three are type annotations.
                    "false" | "undefined" | "null" | "boolean" | "string" | "number" => {}
                    _ if word.text == "only" => self.only(),
                    _ => self.skip(),
                }
            }
            "assert" => self.assertion(matches!(word.after, b'(' | b'.')),
            text => self.assertion(text.starts_with("expect") && word.is_called()),
        }
    }

    /// Counts a Python name that declares or skips a test, or that is an assertion, in pytest or unittest.
    fn python(&mut self, word: Word<'c>) {
        match word.text {
            text if word.previous == "def"
                && text.starts_with("test")
                && matches!(word.first, "def" | "async") =>
            {
                if matches!(word.after, b'(' | b'[') {
                    self.test();
                }
            }
            "skip" | "skipif" | "xfail" if word.is_member_of(&["mark"]) => self.skip(),
            "skip" | "xfail" if word.is_member_of(&["pytest"]) && word.is_called() => self.skip(),
            "skip" | "skipIf" | "skipUnless" | "expectedFailure"
                if word.is_member_of(&["unittest"]) || word.before == b'@' =>
            {
                self.skip();
            }
            "skipTest" | "SkipTest" if word.is_called() => self.skip(),
            "assert" => self.assertion(word.before == 0 || word.before == b':'),
            "raises" => self.assertion(word.is_member_of(&["pytest"])),
            text => self
                .assertion(text.starts_with("assert") && word.before == b'.' && word.is_called()),
        }
    }

    fn rust(&mut self, word: Word<'c>) {
        let is_macro =
            word.after == b'!' && self.byte(self.skip_spaces(word.end, is_space) + 1) != b'=';
        let is_assertion = ["assert", "debug_assert", "prop_assert"]
            .iter()
            .any(|prefix| word.text.starts_with(prefix));
        self.assertion(is_macro && is_assertion);
    }

    fn rust_attribute(&mut self, name: &str, after: u8) {
        match name {
            "test" | "rstest" | "wasm_bindgen_test" if matches!(after, b']' | b'(') => self.test(),
            "ignore" => self.skip(),
            _ => {}
        }
    }

    fn go(&mut self, word: Word<'c>) {
        let is_declared = word.first == "func"
            && (word.previous == "func" || word.before == b')')
            && matches!(word.after, b'(' | b'[');
        let names_test = ["Test", "Fuzz", "Example"].iter().any(|prefix| {
            word.text
                .strip_prefix(prefix)
                .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        });
        match word.text {
            "TestMain" => {}
            _ if is_declared && names_test => self.test(),
            "Skip" | "Skipf" | "SkipNow" if word.before == b'.' && word.is_called() => self.skip(),
            "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow" => {
                self.assertion(word.is_member_of(&["t", "b", "f", "tb"]) && word.is_called());
            }
            _ => self.assertion(word.is_member_of(&["assert", "require"]) && word.is_called()),
        }
    }

    /// Counts a Ruby name that declares, skips or selects a test, or that is an assertion, in RSpec, Minitest or Rails.
    fn ruby(&mut self, word: Word<'c>) {
        let is_block = matches!(word.after, b'"' | b'\'' | b'(' | b'{')
            || self.has_word_after(word.end, &["do"]);
        match word.text {
            "it" | "specify" | "example" | "scenario" | "test"
                if word.begins_line() && is_block =>
            {
                self.test();
            }
            "xit" | "xspecify" | "xexample" | "xscenario" if word.begins_line() && is_block => {
                self.test();
                self.skip();
            }
            "fit" | "fspecify" | "fexample" | "fscenario" if word.begins_line() && is_block => {
                self.test();
                self.only();
            }
            "xdescribe" | "xcontext" | "xfeature" if word.begins_line() && word.after != b'=' => {
                self.skip();
            }
            "fdescribe" | "fcontext" | "ffeature" if word.begins_line() && word.after != b'=' => {
                self.only();
            }
            "skip" | "pending" if word.after == b':' || word.before == b':' => self.skip(),
            "skip" | "pending" if word.begins_line() => {
                let ends = matches!(word.after, 0 | b'"' | b'\'' | b'(');
                if ends || self.has_word_after(word.end, &["if", "unless"]) {
                    self.skip();
                }
            }
            "focus" if word.after == b':' || word.before == b':' => self.only(),
            "expect" => self.assertion(matches!(word.after, b'(' | b'{')),
            text if word.previous == "def" && text.starts_with("test_") => self.test(),
            text => self.assertion(
                word.begins_line() && (text.starts_with("assert") || text.starts_with("refute")),
            ),
        }
    }

    /// Returns whether one of these names follows after `end` on the same line.
    fn has_word_after(&self, end: usize, names: &[&str]) -> bool {
        let from = self.skip_spaces(end, is_space);
        from > end && names.contains(&self.text(from, self.word_end(from)))
    }

    fn jvm(&mut self, word: Word<'c>) {
        match word.text {
            // TestNG: `@Test(enabled = false)`.
            "enabled" if word.after == b'=' => {
                let equals = self.skip_spaces(word.end, is_space);
                if self.has_word_after(equals + 1, &["false"]) {
                    self.skip();
                }
            }
            text => self.assertion(text.starts_with("assert") && word.is_called()),
        }
    }

    /// Counts an annotation of JUnit or TestNG.
    fn annotation(&mut self, name: &str, _after: u8) {
        match name {
            "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" => {
                self.test();
            }
            "Ignore" => self.skip(),
            name if name.starts_with("Disabled") => self.skip(),
            _ => {}
        }
    }

    fn dotnet(&mut self, word: Word<'c>) {
        match word.text {
            "Skip" if word.after == b'=' => {
                let equals = self.skip_spaces(word.end, is_space);
                if self.byte(equals + 1) != b'=' {
                    self.skip();
                }
            }
            "Ignore" | "Skip" | "Inconclusive" if word.is_member_of(&["Assert"]) => self.skip(),
            _ => self.assertion(word.is_member_of(&["Assert"]) && word.is_called()),
        }
    }

    /// Counts an attribute of xUnit, NUnit or MSTest.
    fn dotnet_attribute(&mut self, name: &str, after: u8) {
        match name {
            "Fact" | "Theory" | "Test" | "TestMethod" | "TestCase" | "DataTestMethod"
                if matches!(after, b']' | b'(' | b',' | b'>') =>
            {
                self.test();
            }
            "Ignore" | "Explicit" if matches!(after, b']' | b'(' | b',' | b'>') => self.skip(),
            _ => {}
        }
    }

    /// Counts a PHP name that declares, skips or selects a test, or that is an assertion, in PHPUnit or Pest.
    fn php(&mut self, word: Word<'c>) {
        match word.text {
            "it" | "test" if word.is_called() && word.begins_line() => self.test(),
            text if word.previous == "function" && text.starts_with("test") && word.is_called() => {
                self.test();
            }
            "markTestSkipped" | "markTestIncomplete" if word.is_called() => self.skip(),
            "skip" | "todo" if word.before == b'>' && word.is_called() => self.skip(),
            "only" if word.before == b'>' && word.is_called() => self.only(),
            "expect" => self.assertion(word.is_called()),
            text => self.assertion(text.starts_with("assert") && word.is_called()),
        }
    }

    fn php_attribute(&mut self, name: &str, _after: u8) {
        if name == "Test" {
            self.test();
        }
    }

    /// Counts a C or C++ name that declares or skips a test, or that is an assertion, in GoogleTest, Catch2, doctest or
    /// Boost.
    fn c(&mut self, word: Word<'c>) {
        const TESTS: [&str; 9] = [
            "TEST",
            "TEST_F",
            "TEST_P",
            "TYPED_TEST",
            "TEST_CASE",
            "TEST_CASE_METHOD",
            "SCENARIO",
            "BOOST_AUTO_TEST_CASE",
            "TEST_METHOD",
        ];
        match word.text {
            text if TESTS.contains(&text) && word.is_called() && word.begins_line() => self.test(),
            "GTEST_SKIP" | "SKIP" if word.is_called() => self.skip(),
            text if text.starts_with("DISABLED_") => self.skip(),
            text => {
                let is_assertion = ["EXPECT_", "ASSERT_", "REQUIRE", "CHECK"]
                    .iter()
                    .any(|prefix| text.starts_with(prefix))
                    || text == "assert";
                self.assertion(is_assertion && word.is_called());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(language: Language, text: &str) -> (u32, u32, u32, u32) {
        let of = |text: &str| {
            let found = count(text.as_bytes(), language);
            (found.tests, found.skipped, found.only, found.assertions)
        };
        let found = of(text);
        assert_eq!(of(&text.replace('\n', "\r\n")), found, "with CRLF: {text}");
        found
    }

    #[test]
    fn tests_of_javascript() {
        let of = |text| counts(Language::JavaScript, text);
        let text = "describe('a', () => {\n  it('b', () => { expect(1).toBe(1); });\n  test(`c`, async () => {});\n  it.each([1])('d %i', () => {});\n  test<Fixtures>('e', ({ page }) => {});\n  // it('no', () => {})\n  const s = \"it('no')\";\n});\n";
        assert_eq!(of(text), (4, 0, 0, 1));
        assert_eq!(
            of("it.skip('a');\ntest\n  .todo('b');\nxit('c');"),
            (3, 3, 0, 0)
        );
        assert_eq!(
            of("describe.skip('a', f);\nxdescribe('b', f);"),
            (0, 2, 0, 0)
        );
        assert_eq!(
            of("it.only('a'); fit('b'); describe.only('c'); fdescribe('d');"),
            (2, 0, 4, 0)
        );
        assert_eq!(
            of("test.describe.skip('a', f); test.fixme('b', f)"),
            (1, 2, 0, 0)
        );
        assert_eq!(
            of("test('a', async t => { await t.test('b', f); t.skip(); });"),
            (2, 1, 0, 0)
        );
        assert_eq!(
            of("test('a', { skip: true }, f); test('b', { only: 1, skip: false }, f)"),
            (2, 1, 1, 0)
        );
        assert_eq!(of("it.concurrent.only.each`x`('a', f)"), (1, 0, 1, 0));
        assert_eq!(
            of("if (/x/.test(a) || re.test(b)) { commit(x); submit(x); test.beforeEach(f); }"),
            (0, 0, 0, 0)
        );
        assert_eq!(
            of(
                "function test(a) {}\nimport { it } from 'x';\nlet skip = 1; list.only(2); a.skip(1)"
            ),
            (0, 0, 0, 0)
        );
    }

    #[test]
    fn tests_of_python() {
        let of = |text| counts(Language::Python, text);
        let text = "def test_a():\n    assert 1\nclass TestB:\n    async def test_c(self):\n        self.assertEqual(1, 1)\n    def helper_test(self): pass\n# def test_d():\n\"\"\"\ndef test_e():\n\"\"\"\n";
        assert_eq!(of(text), (2, 0, 0, 2));
        assert_eq!(
            of(
                "@pytest.mark.skip(reason='x')\ndef test_a(): ...\n@pytest.mark.skipif(True)\ndef test_b(): ...\n@pytest.mark.xfail\ndef test_c(): ...\n"
            ),
            (3, 3, 0, 0)
        );
        assert_eq!(
            of(
                "@unittest.skip('x')\ndef test_a(self):\n    self.skipTest('x')\n@skipIf(a, 'b')\n@unittest.expectedFailure\ndef test_b(self):\n    pytest.skip('x')\n"
            ),
            (2, 5, 0, 0)
        );
        assert_eq!(
            of("from unittest import skip, SkipTest\nskip = 1\nx.skip()\n"),
            (0, 0, 0, 0)
        );
    }

    #[test]
    fn tests_of_rust() {
        let of = |text| counts(Language::Rust, text);
        let text = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(1, 1); }\n    #[tokio::test(flavor = \"x\")]\n    #[ignore = \"slow\"]\n    async fn b() { assert!(a != b); }\n    #[test] #[ignore] fn c() {}\n    // #[test]\n    const T: &str = \"#[test]\";\n    const U: &str = r#\"#[test] \"x\" \"#;\n}\n";
        assert_eq!(of(text), (3, 2, 0, 2));
        assert_eq!(
            of("#[rstest]\n#[case(1)]\nfn a(#[case] b: u8) {}\n"),
            (1, 0, 0, 0)
        );
        assert_eq!(
            of("#[cfg(not(test))]\n#![test]\nlet a = b[test];"),
            (0, 0, 0, 0)
        );
    }

    #[test]
    fn tests_of_go() {
        let of = |text| counts(Language::Go, text);
        let text = "func TestA(t *testing.T) {\n\tt.Errorf(\"x\")\n}\nfunc (s *Suite) TestB() {\n\ts.T().Skip()\n}\nfunc FuzzC(f *testing.F) {}\nfunc TestMain(m *testing.M) {}\nfunc Testable() {}\n// func TestD(t *testing.T) {}\nvar x = `\nfunc TestE(t *testing.T) {}\n`\nfunc TestF(t *testing.T) { t.Skip(\"no\"); require.NoError(t, err) }\n";
        assert_eq!(of(text), (4, 2, 0, 2));
    }

    #[test]
    fn tests_of_ruby() {
        let of = |text| counts(Language::Ruby, text);
        let text = "describe 'a' do\n  it 'b' do\n    expect(1).to eq 1\n  end\n  it { is_expected.to x }\n  xit 'c' do\n  end\n  fit 'd' do\n  end\n  it_behaves_like 'e'\n  it = 1\n  # it 'f'\n  it 'g', skip: true do\n  end\n  it('h', :focus) { skip 'x' }\nend\n";
        assert_eq!(of(text), (6, 2, 2, 1));
        assert_eq!(
            of(
                "class A < Minitest::Test\n  def test_a\n    skip 'later'\n    assert_equal 1, 1\n  end\nend\ntest \"b\" do\n  skip if x\nend\n"
            ),
            (2, 2, 0, 1)
        );
        assert_eq!(of("skip = 1\nskip_before_action :x\n"), (0, 0, 0, 0));
    }

    #[test]
    fn tests_of_java_and_kotlin() {
        let of = |text| counts(Language::Jvm, text);
        let text = "@Test void a() { assertEquals(1, 1); }\n@org.junit.Test\n@Ignore(\"x\") public void b() {}\n@Disabled @ParameterizedTest void c() {}\n@Test(enabled = false) void d() {}\n// @Test\nString s = \"@Test\";\n@TestInstance(X) class E {}\n@DisabledOnOs(WINDOWS) @Test fun f() {}\n";
        assert_eq!(of(text), (5, 4, 0, 1));
    }

    #[test]
    fn tests_of_dotnet() {
        let of = |text| counts(Language::DotNet, text);
        let text = "[Fact]\npublic void A() { Assert.Equal(1, 1); }\n[Fact(Skip = \"x\")]\nvoid B() {}\n[Theory, InlineData(1)] void C(int a) {}\n[Xunit.Fact] void D() {}\n[TestMethod][Ignore] void E() {}\n[<Test>]\nlet f () = ()\n// [Fact]\nvar x = a[Test]; if (Skip == 1) {}\nvar y = @\"\n[Fact] \"\" \";\n[TestCase(1)] [TestCase(2)] void G(int a) {}\n";
        assert_eq!(of(text), (8, 2, 0, 1));
    }

    #[test]
    fn tests_of_php() {
        let of = |text| counts(Language::Php, text);
        let text = "<?php\npublic function testA(): void { $this->assertSame(1, 1); $this->markTestSkipped('x'); }\n#[Test]\npublic function b() {}\nit('c', fn () => 1)->skip();\ntest('d', fn () => 1)->only();\n# function testE()\n$s = 'function testF()';\n";
        assert_eq!(of(text), (4, 2, 1, 1));
    }

    #[test]
    fn tests_of_c_and_cpp() {
        let of = |text| counts(Language::C, text);
        let text = "TEST(A, B) { EXPECT_EQ(1, 1); }\nTEST_F(A, DISABLED_C) { GTEST_SKIP() << \"x\"; }\nTEST_CASE(\"d\") { REQUIRE(1'000 == a); }\n// TEST(A, E)\n#define TEST(a, b)\n";
        assert_eq!(of(text), (3, 2, 0, 2));
    }

    #[test]
    fn hostile_texts_are_counted_in_time() {
        use Language::{C, DotNet, Go, JavaScript, Jvm, Php, Python, Ruby, Rust};
        for part in [
            "it ",
            "it.",
            "t.test",
            "#[",
            "#[a::",
            "@a.",
            "[",
            "def test(",
            "a[",
            ". ",
        ] {
            let text = part.repeat(30_000);
            for language in [C, DotNet, Go, JavaScript, Jvm, Php, Python, Ruby, Rust] {
                count(text.as_bytes(), language);
            }
        }
        // Bytes that are not UTF-8 are not declarations, and do not hide any.
        let text = b"\xff\xfe it\xff('a'); it('\xff')";
        assert_eq!(count(text, JavaScript).tests, 1);
    }
}
