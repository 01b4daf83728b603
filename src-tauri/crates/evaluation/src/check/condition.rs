//! Comparisons with a number, such as `>= 7.5`.

/// A relation between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

/// A condition on a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    pub relation: Relation,
    pub value: f64,
}

impl Condition {
    /// Parses `<`, `<=`, `>`, `>=` or `=` and a finite number, with or without spaces. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // Longer operators are tried first, because `<=` also starts with `<`.
        let (relation, rest) = [
            ("<=", Relation::LessOrEqual),
            (">=", Relation::GreaterOrEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ]
        .into_iter()
        .find_map(|(sign, relation)| Some((relation, text.strip_prefix(sign)?)))?;
        let value: f64 = rest.trim().parse().ok()?;
        value.is_finite().then_some(Self { relation, value })
    }

    /// Returns whether a number meets the condition. Numbers whose relative difference is at most a billionth count as
    /// equal.
    pub fn holds(self, number: f64) -> bool {
        match self.relation {
            Relation::Less => number < self.value,
            Relation::LessOrEqual => number <= self.value,
            Relation::Greater => number > self.value,
            Relation::GreaterOrEqual => number >= self.value,
            Relation::Equal => (number - self.value).abs() <= 1e-9 * self.value.abs().max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons() {
        for (text, below, equal, above) in [
            ("<1", true, false, false),
            ("<= 1.0", true, true, false),
            (" > 1", false, false, true),
            (">=1e0", false, true, true),
            ("= 1", false, true, false),
        ] {
            let condition = Condition::parse(text).unwrap();
            assert_eq!(
                [0.5, 1.0, 1.5].map(|n| condition.holds(n)),
                [below, equal, above],
                "{text}"
            );
        }
        assert!(Condition::parse(">= -0.5").unwrap().holds(-0.5));
        for text in [
            "", "7.5", "=> 1", "== 1", "!= 1", ">= x", ">= nan", "< inf", ">= 1 2",
        ] {
            assert_eq!(Condition::parse(text), None, "{text}");
        }
    }
}
