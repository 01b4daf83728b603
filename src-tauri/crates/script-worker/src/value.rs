//! JSON code that the three languages share: limits on size and depth.

use crate::MAX_DEPTH;

/// Returns the size in bytes of `text` as a JSON string, without its quotes. A control character counts as six bytes, as in
/// `\u001b`.
pub(crate) fn written(text: &[u8]) -> usize {
    let escaped = |byte: &u8| match byte {
        b'"' | b'\\' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + text.iter().map(escaped).sum::<usize>()
}

/// Returns whether `name` can be a variable: letters, digits and `_` (and `$` if `dollar`), without a leading digit.
pub(crate) fn is_identifier(name: &str, dollar: bool) -> bool {
    let allowed = |c: char| c == '_' || (dollar && c == '$');
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || allowed(first))
        && letters.all(|c| c.is_alphanumeric() || allowed(c))
}

/// The remaining size of the JSON, and the path of the value that is being converted.
pub(crate) struct Budget {
    left: usize,
    place: Vec<Step>,
}

/// One step from a value to a value inside it.
pub(crate) enum Step {
    Field(String),
    Item(usize),
}

/// Returns the path that leads through `steps` from the value named `whole`, such as `result.items[2]`.
pub(crate) fn place(whole: &str, steps: &[Step]) -> String {
    let mut place = whole.to_owned();
    for step in steps {
        match step {
            Step::Field(name) => {
                place.push('.');
                place.extend(name.chars().take(60));
            }
            Step::Item(index) => place.push_str(&format!("[{index}]")),
        }
    }
    place
}

/// The reason why a value is not JSON.
pub(crate) enum NoJson {
    /// The value is not JSON. The string is a sentence with the reason, such as "`result.items[2]` is a function, which
    /// JSON does not have."
    Is(String),
    TooLarge,
}

impl Budget {
    /// Creates a budget for a result of at most `limit` bytes of JSON.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            left: limit,
            place: Vec::new(),
        }
    }

    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), NoJson> {
        self.left = self.left.checked_sub(bytes).ok_or(NoJson::TooLarge)?;
        Ok(())
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), NoJson> {
        self.charge(written(text.as_bytes()))
    }

    /// Charges the field's name, and runs `within` with the field `name` as the current value.
    ///
    /// # Errors
    /// Returns `TooLarge` if the name does not fit, and the error of `within`.
    pub(crate) fn field<T>(
        &mut self,
        name: &str,
        within: impl FnOnce(&mut Self) -> Result<T, NoJson>,
    ) -> Result<T, NoJson> {
        self.charge(name.len() + 3)?;
        self.step(Step::Field(name.to_owned()), within)
    }

    /// Runs `within` with the item at `index`, from 0, as the current value.
    ///
    /// # Errors
    /// Returns the error of `within`.
    pub(crate) fn item<T>(
        &mut self,
        index: usize,
        within: impl FnOnce(&mut Self) -> Result<T, NoJson>,
    ) -> Result<T, NoJson> {
        self.step(Step::Item(index), within)
    }

    fn step<T>(
        &mut self,
        step: Step,
        within: impl FnOnce(&mut Self) -> Result<T, NoJson>,
    ) -> Result<T, NoJson> {
        if self.place.len() >= MAX_DEPTH {
            return Err(self.is(format_args!(
                "is nested more than {MAX_DEPTH} levels deep. Return a value with fewer levels."
            )));
        }
        self.place.push(step);
        let made = within(self)?;
        self.place.pop();
        Ok(made)
    }

    pub(crate) fn is(&self, what: impl std::fmt::Display) -> NoJson {
        let place: String = place("result", &self.place).chars().take(400).collect();
        NoJson::Is(format!("`{place}` {what}"))
    }
}
