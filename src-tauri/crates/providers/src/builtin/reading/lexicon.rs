//! Small closed lists of general English: related words, measures, months, number words.

use std::{collections::HashMap, sync::LazyLock};

/// Words that say the same of a subject, in their different forms. A word may stand in several groups.
#[rustfmt::skip]
const RELATED: &[&str] = &[
    "born birth birthplace native",
    "die died death dead killed deceased",
    "build built builder construct constructed erected",
    "design designed designer architect",
    "founded founder establish established set founding foundation",
    "write wrote written writer author novelist publish published publisher publication",
    "compose composed composer composition",
    "make made maker manufactured manufacturer manufacture produced",
    "produce production producer output yield generate generates",
    "direct directed director",
    "invent invented inventor invention",
    "discover discovered discoverer discovery",
    "marry married marriage wife husband spouse wed widow widower",
    "parent father mother son daughter child children",
    "son daughter child children",
    "brother sister sibling",
    "name named namesake called name-giver",
    "win won winner winning award awarded prize champion",
    "prize trophy award medal cup",
    "run ran runs operate operated operator operates manage managed manager",
    "run ran manage managed direct directed head headed headmaster headmistress principal",
    "own owned owner owns belong belongs belonging property possess",
    "lead led leader",
    "head headed chief headmaster headmistress principal",
    "study studied student educated education attended learned learnt graduated",
    "teach taught teacher instructor",
    "work worked job occupation profession trade employed career worker",
    "live lived lives resident inhabitant home dwell",
    "population inhabitants residents",
    "known famous celebrated renowned noted",
    "begin began begun start started begins break broke outbreak",
    "end ended finish finished close closed cease ceased abolish abolished repeal repealed",
    "open opened opening",
    "perform performed performance premiere premiered performer",
    "play played player plays",
    "sing sang sung singer song",
    "paint painted painter painting",
    "grow grew grown grower grows planted cultivated",
    "raise raised bred",
    "keep kept keeper keeping",
    "hold held holds take takes place",
    "give gave given donate donated presented present",
    "get received receive receives",
    "come came arrive arrived arrives arrival reached",
    "leave left departed depart",
    "carry carried carries transport capacity",
    "cost costs price paid pay fee",
    "locate located location lies stands situated lie stand",
    "sink sank sunk wrecked wreck lost",
    "buy bought sell sold",
    "break broke broken",
    "choose chose chosen elected elect",
    "meet meets met meeting sits assembles sitting",
    "house housed kept contains",
    "restore restored restoration repaired rebuilt",
    "serve serves served supplies supply service",
    "appear appeared starred star stars cast featured role",
    "high height tall elevation altitude",
    "long length lasts lasted duration",
    "wide width broad breadth across diameter",
    "deep depth deepest",
    "heavy weigh weighs weighed weight",
    "big large size area",
    "old age aged oldest",
    "fast speed quick rapid",
    "far distance away",
    "big biggest large largest great greatest",
    "capital seat",
    "job office post position",
    "ship vessel boat",
    "locomotive engine",
    "town city village settlement",
    "country nation state",
    "film movie",
    "car automobile",
    "material stone wood metal",
    "language tongue",
    "instrument musical",
    "school academy college institute university",
    "school schooling study studied educated education attend attended pupil",
    "newspaper paper daily weekly",
    "company firm business",
    "charity trust foundation",
    "colour color painted coloured",
    "hatch hatches hatching incubation",
    "feed feeds eat eats diet food",
    "often every times twice once",
];

/// What a question asks for with the first word, a text may say with the others; not the other way round.
const ONE_WAY: &[(&str, &str)] = &[("people", "population inhabitants residents persons")];

/// Question words for a measure with the stems that say it and the units that give it.
pub(crate) struct Measure {
    /// How a question asks: `tall`.
    pub(crate) asked: &'static [&'static str],
    /// What a sentence that answers may say.
    pub(crate) said: &'static [&'static str],
    /// Stems of units, one of which must follow the number; empty for any.
    pub(crate) units: &'static [Unit],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Length,
    Mass,
    Time,
    Area,
    Speed,
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        asked: &["high", "tall", "height", "elevation", "altitude"],
        said: &[
            "high",
            "height",
            "tall",
            "elevation",
            "altitude",
            "above",
            "rises",
            "rising",
            "stands",
        ],
        units: &[Unit::Length],
    },
    Measure {
        asked: &["wide", "broad", "width", "breadth", "diameter"],
        said: &["wide", "width", "broad", "breadth", "across", "diameter"],
        units: &[Unit::Length],
    },
    Measure {
        asked: &["deep", "depth"],
        said: &["deep", "depth", "deepest", "bottom"],
        units: &[Unit::Length],
    },
    Measure {
        asked: &["far", "distance"],
        said: &["far", "distance", "away", "from", "off"],
        units: &[Unit::Length],
    },
    Measure {
        asked: &["long", "length"],
        said: &["long", "length", "lasts", "lasted", "takes"],
        units: &[Unit::Length, Unit::Time],
    },
    Measure {
        asked: &["heavy", "weigh", "weight"],
        said: &["weigh", "weighs", "weight", "heavy"],
        units: &[Unit::Mass],
    },
    Measure {
        asked: &["old", "age"],
        said: &["old", "age", "aged", "born", "built", "years"],
        units: &[],
    },
    Measure {
        asked: &["fast", "speed"],
        said: &[],
        units: &[Unit::Speed],
    },
    Measure {
        asked: &["big", "large", "area"],
        said: &[],
        units: &[Unit::Area, Unit::Length],
    },
];

#[rustfmt::skip]
const UNITS: &[(Unit, &str)] = &[
    (Unit::Length, "metre meter metres meters m kilometre kilometres kilometer kilometers km mile miles foot feet ft inch inches \
        centimetre centimetres centimeters cm millimetre millimetres millimeters mm yard yards fathom fathoms league leagues"),
    (Unit::Mass, "tonne tonnes ton tons kilogram kilograms kilo kilos kg gram grams g pound pounds lb ounce ounces stone"),
    (Unit::Time, "year years month months week weeks day days hour hours minute minutes second seconds century centuries decade \
        decades season seasons night nights fortnight"),
    (Unit::Area, "square hectare hectares acre acres"),
    (Unit::Speed, "knot knots mph kmh per hour"),
];

/// Nouns a question uses for persons; the text need not repeat them.
#[rustfmt::skip]
pub(super) const PERSONS: &[&str] = &[
    "person", "woman", "man", "people", "someone", "somebody", "lady", "gentleman", "girl", "boy", "figure",
];

/// Words that frame a question without narrowing it.
#[rustfmt::skip]
const LIGHT: &[&str] = &[
    "name", "called", "call", "known", "kind", "type", "sort", "thing", "place", "point", "time", "date", "number", "amount",
    "originally", "exactly", "today", "now", "actually", "usually", "normally", "main", "particular", "same", "also", "ever",
    "total", "way", "become", "became", "get", "go", "goes", "went", "gone", "use", "used", "take", "takes", "order", "first", "most", "more",
    "year", "day", "month", "century", "together", "share", "common", "respectively", "following", "different",
];

#[rustfmt::skip]
pub(super) const NUMBER_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
    "ninety", "hundred", "hundreds", "thousand", "thousands", "million", "dozen", "half", "once", "twice", "single", "both", "pair",
];

#[rustfmt::skip]
const TIME_WORDS: &[&str] = &[
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "spring", "summer", "autumn", "winter", "midsummer", "midwinter", "christmas", "easter", "century", "midnight", "noon", "dawn",
];

/// Irregular forms with the form under which they are matched. `found` is of *find*, so that it is not taken for *founded*.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("ate", "eat"), ("eaten", "eat"), ("began", "begin"), ("begun", "begin"), ("bore", "bear"), ("bought", "buy"), ("broke", "break"),
    ("broken", "break"), ("brought", "bring"), ("built", "build"), ("came", "come"), ("caught", "catch"), ("chose", "choose"),
    ("chosen", "choose"), ("drawn", "draw"), ("drew", "draw"), ("dug", "dig"), ("fallen", "fall"), ("fell", "fall"), ("flew", "fly"),
    ("flown", "fly"), ("fought", "fight"), ("found", "find"), ("gave", "give"), ("given", "give"), ("grew", "grow"), ("grown", "grow"),
    ("held", "hold"), ("hung", "hang"), ("kept", "keep"), ("laid", "lay"), ("led", "lead"), ("left", "leave"), ("lost", "lose"),
    ("made", "make"), ("met", "meet"), ("paid", "pay"), ("ran", "run"), ("sang", "sing"), ("sank", "sink"), ("saw", "see"),
    ("seen", "see"), ("sent", "send"), ("sold", "sell"), ("spent", "spend"), ("spoke", "speak"), ("spoken", "speak"), ("stood", "stand"),
    ("struck", "strike"), ("sung", "sing"), ("sunk", "sink"), ("swam", "swim"), ("taken", "take"), ("taught", "teach"), ("thought", "think"),
    ("took", "take"), ("went", "go"), ("won", "win"), ("wore", "wear"), ("worn", "wear"), ("wove", "weave"), ("woven", "weave"),
    ("written", "write"), ("wrote", "write"), ("fed", "feed"), ("lit", "light"), ("slept", "sleep"), ("felt", "feel"), ("heard", "hear"),
    ("told", "tell"), ("hid", "hide"), ("hidden", "hide"), ("rode", "ride"), ("ridden", "ride"), ("rose", "rise"), ("risen", "rise"),
    ("stole", "steal"), ("stolen", "steal"), ("froze", "freeze"), ("frozen", "freeze"), ("threw", "throw"), ("thrown", "throw"),
    ("knew", "know"), ("known", "know"), ("drove", "drive"), ("driven", "drive"), ("bitten", "bite"), ("shot", "shoot"), ("got", "get"),
];

/// The stem under which a lower-case word is matched: that of its base form.
pub(super) fn stem(lower: &str) -> String {
    if lower.starts_with("building") {
        // The noun is not the verb.
        return "building".to_owned();
    }
    let base = IRREGULAR.iter().find(|(form, _)| *form == lower);
    loopwright_text::stem(base.map_or(lower, |(_, base)| base))
}

static GROUPS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<String>> = HashMap::new();
    for group in RELATED {
        let stems: Vec<String> = group.split(' ').map(stem).collect::<Vec<_>>();
        for word in &stems {
            let known = groups.entry(word.clone()).or_default();
            known.extend(stems.iter().filter(|other| *other != word).cloned());
            known.sort_unstable();
            known.dedup();
        }
    }
    for (asked, said) in ONE_WAY {
        let said = said.split(' ').map(stem);
        groups.entry(stem(asked)).or_default().extend(said);
    }
    groups
});

/// Stems that say what `stem` says.
pub(super) fn related(stem: &str) -> &'static [String] {
    GROUPS.get(stem).map_or(&[], Vec::as_slice)
}

/// The stems under which a word may stand: its own, that of its positive degree (`deepest`) and that of the verb of an agent (`founder`).
pub(super) fn forms(lower: &str) -> Vec<String> {
    let mut forms = vec![stem(lower)];
    for ending in ["est", "er", "or", "ers", "ors"] {
        if let Some(base) = lower.strip_suffix(ending)
            && base.len() >= 3
        {
            // Not the irregular form: a founder founded.
            forms.push(loopwright_text::stem(base));
            forms.push(loopwright_text::stem(&format!("{base}e")));
        }
    }
    forms.dedup();
    forms
}

/// Whether a word frames a question without narrowing it.
pub(super) fn is_light(lower: &str) -> bool {
    LIGHT.contains(&lower) || PERSONS.contains(&lower)
}

pub(super) fn unit(lower: &str) -> Option<Unit> {
    UNITS
        .iter()
        .find(|(_, words)| words.split(' ').any(|word| word == lower))
        .map(|(unit, _)| *unit)
}

pub(super) fn measure(asked: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .find(|measure| measure.asked.contains(&asked))
}

pub(super) fn is_time_word(lower: &str) -> bool {
    TIME_WORDS.contains(&lower)
        || lower
            .strip_suffix('s')
            .is_some_and(|day| day.ends_with("day") && TIME_WORDS.contains(&day))
}

/// Whether a word is a year as texts write it: 1066, 1839, 2024; with an `s` a decade.
pub(super) fn is_year(lower: &str) -> bool {
    let digits = lower.trim_end_matches('s');
    digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(digits.as_bytes()[0], b'1' | b'2')
        && digits < "2100"
}
