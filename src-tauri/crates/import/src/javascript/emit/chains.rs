//! Members and calls behind a value, and JavaScript's own library: what has a counterpart, and what has none.

use super::{Done, Emitter, Expr, FUNCTIONS, Item, KEYS, LOGS, Link, LinkKind, RUNTIME, lua_text};

/// Methods of JavaScript's own values that have no counterpart.
const MISSING: [&str; 22] = [
    "match",
    "matchAll",
    "search",
    "test",
    "exec",
    "normalize",
    "localeCompare",
    "toLocaleString",
    "toLocaleUpperCase",
    "toLocaleLowerCase",
    "then",
    "catch",
    "getTime",
    "toISOString",
    "codePointAt",
    "reduceRight",
    "copyWithin",
    "findLast",
    "findLastIndex",
    "toSorted",
    "toReversed",
    "hasOwnProperty",
];

const CONSTANTS: [(&str, &str, &str); 9] = [
    ("Math", "PI", "math.pi"),
    ("Math", "E", "2.718281828459045"),
    ("Math", "LN2", "0.6931471805599453"),
    ("Math", "LN10", "2.302585092994046"),
    ("Math", "SQRT2", "1.4142135623730951"),
    ("Number", "MAX_SAFE_INTEGER", "9007199254740991"),
    ("Number", "MIN_SAFE_INTEGER", "-9007199254740991"),
    ("Number", "EPSILON", "2.220446049250313e-16"),
    ("Number", "MAX_VALUE", "1.7976931348623157e308"),
];

const SPACES: [&str; 8] = [
    "Math", "JSON", "Object", "Array", "Number", "String", "console", "Date",
];

impl Emitter<'_> {
    // ---- chains

    pub(super) fn chain(&mut self, base: &Expr, links: &[Link]) -> Done {
        if let Expr::Name(name) = base
            && self.known(name).is_none()
        {
            let mut path = vec![name.as_str()];
            for link in links {
                match &link.kind {
                    LinkKind::Member(name) => path.push(name),
                    LinkKind::Index(Expr::Text(name)) => path.push(name),
                    _ => break,
                }
            }
            if let Some((given, taken)) = (self.given)(&path) {
                return self.links(given, &links[taken - 1..], false);
            }
            if SPACES.contains(&name.as_str())
                && let Some((
                    Link {
                        kind: LinkKind::Member(member),
                        ..
                    },
                    rest,
                )) = links.split_first()
            {
                return self.library(name, member, rest);
            }
            if FUNCTIONS.contains(&name.as_str())
                && let Some((
                    Link {
                        kind: LinkKind::Call(items),
                        ..
                    },
                    rest,
                )) = links.split_first()
            {
                let called = format!("js.{name}({})", self.arguments(items)?);
                return self.links(called, rest, false);
            }
        }
        let base = match (base, links) {
            (
                Expr::Name(name),
                [
                    Link {
                        kind: LinkKind::Call(items),
                        optional: false,
                    },
                    rest @ ..,
                ],
            ) => {
                let function = self.name(name)?;
                let items = self.following(items)?;
                let called = format!("js.call({function}, {}{items})", lua_text(name));
                return self.links(called, rest, false);
            }
            _ => self.value(base)?,
        };
        self.links(base, links, false)
    }

    /// Arguments with the comma before them.
    pub(super) fn following(&mut self, items: &[Item]) -> Done {
        let items = self.arguments(items)?;
        Ok(if items.is_empty() {
            items
        } else {
            format!(", {items}")
        })
    }

    /// What `Math`, `JSON` and the like have.
    pub(super) fn library(&mut self, space: &str, member: &str, rest: &[Link]) -> Done {
        if let Some((.., written)) = CONSTANTS
            .iter()
            .find(|(of, name, _)| *of == space && *name == member)
        {
            return self.links((*written).to_owned(), rest, false);
        }
        if space == "console" {
            let [
                Link {
                    kind: LinkKind::Call(items),
                    ..
                },
            ] = rest
            else {
                return Err("uses `console` for something else than to log".to_owned());
            };
            self.differs.insert(LOGS);
            return Ok(format!("js.none({})", self.arguments(items)?));
        }
        let helper = format!("{space}_{member}");
        if !RUNTIME.has(&helper) {
            return Err(format!(
                "calls `{space}.{member}`, which has no counterpart here"
            ));
        }
        if matches!(
            helper.as_str(),
            "Object_keys" | "Object_values" | "Object_entries" | "JSON_stringify"
        ) {
            self.differs.insert(KEYS);
        }
        match rest {
            [
                Link {
                    kind: LinkKind::Call(items),
                    optional: false,
                },
                rest @ ..,
            ] => {
                let called = format!("js.{helper}({})", self.arguments(items)?);
                self.links(called, rest, false)
            }
            _ => self.links(format!("js.{helper}"), rest, false),
        }
    }

    /// The steps of a chain on `from`; the first is not asked whether it is optional where that is `settled`.
    pub(super) fn links(&mut self, from: String, links: &[Link], settled: bool) -> Done {
        let Some((first, rest)) = links.split_first() else {
            return Ok(from);
        };
        if first.optional && !settled {
            let held = self.temporary();
            let inner = self.links(held.clone(), links, true)?;
            return Ok(format!(
                "(function()\nlocal {held} = {from}\nif {held} == nil or {held} == null then return nil end\nreturn {inner}\nend)()"
            ));
        }
        match (&first.kind, rest) {
            (
                LinkKind::Member(name),
                [
                    Link {
                        kind: LinkKind::Call(items),
                        optional: false,
                    },
                    rest @ ..,
                ],
            ) => {
                if MISSING.contains(&name.as_str()) {
                    return Err(format!("calls `{name}`, which has no counterpart here"));
                }
                let items = self.following(items)?;
                let called = if RUNTIME.has(&format!("m_{name}")) {
                    format!("js.m_{name}({from}{items})")
                } else {
                    format!("js.own({from}, {}{items})", lua_text(name))
                };
                self.links(called, rest, false)
            }
            (LinkKind::Member(name), _) => {
                self.links(format!("js.get({from}, {})", lua_text(name)), rest, false)
            }
            (LinkKind::Index(key), _) => {
                let key = self.value(key)?;
                self.links(format!("js.get({from}, {key})"), rest, false)
            }
            (LinkKind::Call(items), _) => {
                let items = self.following(items)?;
                self.links(
                    format!("js.call({from}, \"this value\"{items})"),
                    rest,
                    false,
                )
            }
        }
    }
}
