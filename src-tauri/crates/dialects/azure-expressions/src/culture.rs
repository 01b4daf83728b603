//! Number formats of cultures. The names of cultures are those of .NET: `en-US`, `de-de`, and the empty name for the invariant
//! culture.

/// The number symbols of a culture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Culture {
    pub(crate) point: char,
    pub(crate) group: char,
    pub(crate) infinity: &'static str,
    pub(crate) currency: &'static str,
    /// Whether the currency symbol follows the number. If false, it precedes the number.
    pub(crate) currency_behind: bool,
    /// The percent suffix: `12.00%` or `12.00 %`.
    pub(crate) percent: &'static str,
}

pub(crate) const INVARIANT: Culture = Culture {
    point: '.',
    group: ',',
    infinity: "Infinity",
    currency: "¤",
    currency_behind: false,
    percent: " %",
};

/// The culture that is used if a call names none.
pub(crate) const DEFAULT: Culture = Culture {
    infinity: "∞",
    currency: "$",
    percent: "%",
    ..INVARIANT
};

/// The no-break space, which many cultures use to group digits.
const SPACE: char = '\u{a0}';
/// The narrow no-break space, which French uses to group digits.
const NARROW: char = '\u{202f}';

/// Returns the culture with this name, or `None` if it is unknown.
pub(crate) fn culture(name: &str) -> Option<Culture> {
    let name = name.trim().to_ascii_lowercase();
    if name.is_empty() {
        return Some(INVARIANT);
    }
    let (language, region) = name.split_once('-').unwrap_or((&name, ""));
    let euro = |point, group| Culture {
        point,
        group,
        currency: "€",
        currency_behind: true,
        percent: " %",
        ..DEFAULT
    };
    Some(match (language, region) {
        ("en", "" | "us" | "ca" | "au" | "nz" | "sg") => DEFAULT,
        ("en", "gb") => Culture {
            currency: "£",
            ..DEFAULT
        },
        ("en", "ie") => Culture {
            currency: "€",
            ..DEFAULT
        },
        ("en", "in") => Culture {
            currency: "₹",
            ..DEFAULT
        },
        ("ja", _) => Culture {
            currency: "￥",
            ..DEFAULT
        },
        ("zh", _) => Culture {
            currency: "¥",
            ..DEFAULT
        },
        ("ko", _) => Culture {
            currency: "₩",
            ..DEFAULT
        },
        ("es", "mx") => DEFAULT,
        ("de", "ch") => Culture {
            group: '’',
            currency: "CHF ",
            ..DEFAULT
        },
        ("pt", "br") => Culture {
            point: ',',
            group: '.',
            currency: "R$ ",
            ..DEFAULT
        },
        ("de" | "es" | "it" | "el" | "hr" | "sl", _) => euro(',', '.'),
        ("nl", _) => Culture {
            currency: "€ ",
            currency_behind: false,
            percent: "%",
            ..euro(',', '.')
        },
        ("tr", _) => Culture {
            currency: "₺",
            currency_behind: false,
            ..euro(',', '.')
        },
        ("id", _) => Culture {
            currency: "Rp",
            currency_behind: false,
            ..euro(',', '.')
        },
        ("da", _) => Culture {
            currency: "kr.",
            ..euro(',', '.')
        },
        ("fr", _) => euro(',', NARROW),
        ("pt" | "fi" | "sk" | "et" | "lv" | "lt", _) => euro(',', SPACE),
        ("nb" | "no" | "sv", _) => Culture {
            currency: "kr",
            ..euro(',', SPACE)
        },
        ("pl", _) => Culture {
            currency: "zł",
            ..euro(',', SPACE)
        },
        ("cs", _) => Culture {
            currency: "Kč",
            ..euro(',', SPACE)
        },
        ("ru", _) => Culture {
            currency: "₽",
            ..euro(',', SPACE)
        },
        ("uk", _) => Culture {
            currency: "₴",
            ..euro(',', SPACE)
        },
        ("hu", _) => Culture {
            currency: "Ft",
            ..euro(',', SPACE)
        },
        _ => return None,
    })
}
