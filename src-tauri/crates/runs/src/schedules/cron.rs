//! Parses the five fields of a cron expression. Rejects expressions that cron implementations read differently.

/// The times that the five fields select, as sets of numbers: bit n stands for the number n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cron {
    pub(super) minutes: u64,
    pub(super) hours: u64,
    pub(super) days: u64,
    pub(super) months: u64,
    /// 0 is Sunday.
    pub(super) weekdays: u64,
    /// If `true`, a day matches if either its number or its weekday matches. If `false`, both must match.
    pub(super) either: bool,
}

/// The rules of one of the five fields.
struct Field {
    name: &'static str,
    least: u64,
    most: u64,
    /// The names of the numbers, beginning with `least`; empty if they have none.
    names: &'static [&'static str],
}

const MINUTE: Field = Field {
    name: "minute",
    least: 0,
    most: 59,
    names: &[],
};
const HOUR: Field = Field {
    name: "hour",
    least: 0,
    most: 23,
    names: &[],
};
const DAY: Field = Field {
    name: "day of the month",
    least: 1,
    most: 31,
    names: &[],
};
const MONTH: Field = Field {
    name: "month",
    least: 1,
    most: 12,
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
};
/// Sunday is both 0 and 7.
const WEEKDAY: Field = Field {
    name: "weekday",
    least: 0,
    most: 7,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

/// The form of a field. The forms of the two day fields determine whether a day must match both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `*`
    Any,
    /// `*/2`: values at regular steps.
    Stepped,
    Chosen,
}

/// Parses a cron expression.
///
/// # Errors
/// Returns a message that names the invalid field and says what to write.
pub(super) fn read(text: &str) -> Result<Cron, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields.as_slice() else {
        return Err(format!(
            "A cron expression has five fields: minute, hour, day of the month, month, weekday, such as \"0 2 * * 1-5\". \"{text}\" has {}.",
            fields.len()
        ));
    };
    let (minutes, _) = MINUTE.read(minute)?;
    let (hours, _) = HOUR.read(hour)?;
    let (days, day_form) = DAY.read(day)?;
    let (months, _) = MONTH.read(month)?;
    let (weekdays, weekday_form) = WEEKDAY.read(weekday)?;
    let either = match (day_form, weekday_form) {
        (Form::Any, _) | (_, Form::Any) => false,
        (Form::Chosen, Form::Chosen) => true,
        (Form::Stepped, _) | (_, Form::Stepped) => {
            return Err(format!(
                "Cron implementations interpret \"{day}\" together with \"{weekday}\" differently: some need both to match, others need only one. Write the days as a list, such as 1,3,5, or use `*` for one of the two."
            ));
        }
    };
    // Sunday has two numbers.
    let weekdays = (weekdays | weekdays >> 7) & 0x7f;
    let cron = Cron {
        minutes,
        hours,
        days,
        months,
        weekdays,
        either,
    };
    if !cron.has_days() {
        return Err(format!(
            "\"{text}\" never occurs: none of these months has this day. Choose another day or month."
        ));
    }
    Ok(cron)
}

impl Cron {
    fn has_days(&self) -> bool {
        let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let first = self.days.trailing_zeros();
        self.either
            || (1_u32..)
                .zip(lengths)
                .any(|(month, length)| self.months >> month & 1 == 1 && first <= length)
    }
}

impl Field {
    fn read(&self, text: &str) -> Result<(u64, Form), String> {
        let form = match text.strip_prefix('*') {
            Some("" | "/1") => Form::Any,
            Some(_) => Form::Stepped,
            None => Form::Chosen,
        };
        if form != Form::Chosen && text.contains(',') {
            return Err(self.wrong(text, "write `*` alone or with a step, such as */2"));
        }
        let mut set = 0;
        for part in text.split(',') {
            set |= self.part(part)?;
        }
        Ok((set, form))
    }

    /// Parses `3`, `1-5`, `*`, `*/2` or `1-10/3`, and returns the set of numbers.
    fn part(&self, part: &str) -> Result<u64, String> {
        let (range, step) = match part.split_once('/') {
            None => (part, None),
            Some((range, step)) => {
                let step = step
                    .parse::<usize>()
                    .ok()
                    .filter(|step| *step > 0)
                    .ok_or_else(|| self.wrong(part, "a step must be a number above 0"))?;
                (range, Some(step))
            }
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (self.least, self.most),
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            None if step.is_some() => {
                let why = format!(
                    "cron implementations interpret a step after a single number differently. Write {range}-{}/…",
                    self.most
                );
                return Err(self.wrong(part, &why));
            }
            None => {
                let number = self.number(range)?;
                (number, number)
            }
        };
        if first > last {
            let why =
                "a range begins with the smaller number. Write two ranges, separated by a comma";
            return Err(self.wrong(part, why));
        }
        // For `*`, the range ends at 6. Otherwise a step could select 7, which is Sunday again.
        let last = match range {
            "*" if self.names.len() == 7 => 6,
            _ => last,
        };
        let numbers = (first..=last).step_by(step.unwrap_or(1));
        Ok(numbers.fold(0, |set, number| set | 1 << number))
    }

    fn number(&self, text: &str) -> Result<u64, String> {
        let name = text.to_ascii_lowercase();
        if let Some(at) = (self.least..)
            .zip(self.names)
            .find(|(_, own)| **own == name)
        {
            return Ok(at.0);
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>()
            .ok()
            .filter(|number| is_number && (self.least..=self.most).contains(number))
            .ok_or_else(|| {
                let names = match (self.names.first(), self.names.last()) {
                    (Some(first), Some(last)) => format!(", or a name from {first} to {last}"),
                    _ => String::new(),
                };
                let why = format!("write a number from {} to {}{names}", self.least, self.most);
                self.wrong(text, &why)
            })
    }

    fn wrong(&self, text: &str, why: &str) -> String {
        format!("\"{text}\" is not a {}: {why}.", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: impl IntoIterator<Item = u64>) -> u64 {
        numbers.into_iter().fold(0, |set, number| set | 1 << number)
    }

    #[test]
    fn fields_select_numbers() {
        for (text, minutes, hours, weekdays) in [
            ("0 2 * * *", set([0]), set([2]), set(0..7)),
            ("0 2 * * 1-5", set([0]), set([2]), set(1..6)),
            ("*/20 * * * *", set([0, 20, 40]), set(0..24), set(0..7)),
            (
                "5-20/7 8,20 * * *",
                set([5, 12, 19]),
                set([8, 20]),
                set(0..7),
            ),
            ("0 0 * * 7", set([0]), set([0]), set([0])),
            ("0 0 * * 5-7", set([0]), set([0]), set([0, 5, 6])),
            ("0 0 * * Mon,WED-fri", set([0]), set([0]), set([1, 3, 4, 5])),
            ("0 0 * * */2", set([0]), set([0]), set([0, 2, 4, 6])),
            ("07 09 * * *", set([7]), set([9]), set(0..7)),
        ] {
            let cron = read(text).unwrap();
            assert_eq!(
                (cron.minutes, cron.hours, cron.weekdays, cron.either),
                (minutes, hours, weekdays, false),
                "{text}"
            );
        }
        let cron = read("0 0 29 FEB,apr *").unwrap();
        assert_eq!((cron.days, cron.months), (set([29]), set([2, 4])));
    }

    #[test]
    fn two_day_fields_match_either() {
        assert!(read("0 0 1 * 1").unwrap().either);
        assert!(read("0 0 1-31 * 1").unwrap().either);
        assert!(!read("0 0 */1 * 1").unwrap().either);
        assert!(!read("0 0 1 * *").unwrap().either);
    }

    #[test]
    fn what_is_wrong_or_ambiguous_is_refused_with_a_remedy() {
        for (text, words) in [
            ("", "five fields"),
            ("0 2 * *", "has 4"),
            ("0 0 2 * * *", "has 6"),
            ("@daily", "five fields"),
            ("60 2 * * *", "from 0 to 59"),
            ("-1 2 * * *", "from 0 to 59"),
            ("+1 2 * * *", "from 0 to 59"),
            ("0 24 * * *", "from 0 to 23"),
            ("0 2 0 * *", "from 1 to 31"),
            ("0 2 L * *", "from 1 to 31"),
            ("0 2 * 13 *", "jan to dec"),
            ("0 2 * * 8", "sun to sat"),
            ("0 22-2 * * *", "two ranges"),
            ("0 2 * * 6-0", "two ranges"),
            ("5/10 * * * *", "Write 5-59/"),
            ("*/0 * * * *", "above 0"),
            ("*,5 * * * *", "alone or with"),
            ("0 2 */2 * 1", "differently"),
            ("0 2 1 * */2", "differently"),
            ("0 2 30 2 *", "never occurs"),
            ("0 2 31 2,4,6 *", "never occurs"),
            ("0, 2 * * *", "from 0 to 59"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }
}
