//! What expressions read: the state, loops and lists around, and paths into them.

use super::{
    BTreeSet, Code, Dialect, Expr, Holds, Item, Mistake, Names, Step, Tera, Ty, composed, constant,
    functions, luau_field, luau_text, tera_field,
};

impl Names<'_> {
    pub(super) fn path(&self, of: &Expr, steps: &[Step]) -> Result<Code, Mistake> {
        let mut code = self.expression(of)?;
        let mut chain = code.tera.as_ref().and_then(|tera| tera.chain.clone());
        let mut strict_before = false;
        for (index, step) in steps.iter().enumerate() {
            let optional = step.optional || self.dialect == Dialect::Loom;
            chain = chain.and_then(|chain| {
                Some(match &step.key {
                    Expr::Text(name) => format!("{chain}{}", tera_field(name)?),
                    Expr::Number(number) if number.is_u64() => format!("{chain}[{number}]"),
                    _ => return None,
                })
            });
            let key = self.expression(&step.key)?;
            code.helpers.extend(key.helpers);
            code.helpers.insert("step");
            code.luau = format!(
                "step({}, {}{})",
                code.luau,
                key.luau,
                if optional { ", true" } else { "" }
            );
            code.ty = Ty::Any;
            let last = index + 1 == steps.len();
            // Behind a step that must be there, one that may be missing: Tera's default would cover both.
            if strict_before && optional && last {
                chain = None;
            }
            strict_before |= !optional;
            code.tera = chain.as_ref().map(|chain| Tera {
                text: if optional {
                    format!("({chain} | default(value=null))")
                } else {
                    chain.clone()
                },
                chain: Some(chain.clone()),
                fails: !optional,
            });
        }
        Ok(code)
    }

    /// What a function reads from the state.
    pub(super) fn reference(&self, name: &str, args: &[Expr]) -> Result<Code, Mistake> {
        let of = |root: &str| self.of(&[root], args);
        let name = match name {
            "actionbody" => "body",
            "actionoutputs" => "outputs",
            name => name,
        };
        match name {
            "variables" => match args[0].as_text() {
                Some(name) if !self.variables.contains_key(name) => match self.loop_name(name) {
                    Some(code) => Ok(code),
                    None => of("variables"),
                },
                Some(name) => {
                    let mut code = self.state(&["variables", name], true);
                    code.ty = self.variables[name];
                    Ok(code)
                }
                None => of("variables"),
            },
            "parameters" => match args[0].as_text() {
                Some(name) => Ok(self.state(&["parameters", name], true)),
                None => of("parameters"),
            },
            "outputs" => of("outputs"),
            "body" => match args[0].as_text() {
                Some(action) if self.holds.get(action) == Some(&Holds::Whole) => of("outputs"),
                Some(action) => Ok(self.state(&["outputs", action, "body"], false)),
                None => self.path(
                    &Expr::Call {
                        name: "outputs".to_owned(),
                        args: args.to_vec(),
                    },
                    &[Step {
                        key: Expr::Text("body".to_owned()),
                        optional: true,
                    }],
                ),
            },
            "result" => of("results"),
            "items" => of("items"),
            "iterationindexes" => {
                let mut code = of("indexes")?;
                code.ty = Ty::Number;
                Ok(code)
            }
            "item" => match self.item {
                Item::Lambda => Ok(constant(Ty::Any, None, "item")),
                Item::Of(name) => Ok(self.state(&["items", name], false)),
                Item::None => Err(Mistake::new(
                    "item() stands outside of a foreach, a Select and a Query, so that there is no item",
                )),
            },
            "triggerbody" => Ok(self.state(&["trigger", "body"], false)),
            "triggeroutputs" => Ok(self.state(&["trigger"], true)),
            "workflow" => Ok(self.state(&["workflow"], true)),
            "utcnow" => {
                let mut code = self.state(&["now"], true);
                code.ty = Ty::Text;
                match args.first() {
                    None => Ok(code),
                    Some(format) => {
                        let function = functions::find("formatdatetime");
                        let args = [code, self.expression(format)?];
                        function
                            .map(|function| self.function(function, &args))
                            .ok_or_else(|| Mistake::new("utcNow() cannot be formatted"))
                    }
                }
            }
            "getfuturetime" | "getpasttime" => {
                let mut now = self.state(&["now"], true);
                now.ty = Ty::Text;
                let moved = if name == "getfuturetime" {
                    "addtotime"
                } else {
                    "subtractfromtime"
                };
                let mut codes = vec![now];
                for arg in args {
                    codes.push(self.expression(arg)?);
                }
                functions::find(moved)
                    .map(|function| self.function(function, &codes))
                    .ok_or_else(|| Mistake::new("there is no clock to count from"))
            }
            "trigger" => Ok(composed(
                Ty::Object,
                vec![(Some("outputs"), self.state(&["trigger"], true))],
            )),
            _ => {
                // actions('x')
                let mut status = self.of(&["status"], args)?;
                // An action that set none was skipped.
                status.tera = None;
                status.luau = format!("coalesce({}, \"Skipped\")", status.luau);
                status.helpers.insert("coalesce");
                let outputs = self.of(&["outputs"], args)?;
                let name = self.expression(&args[0])?;
                Ok(composed(
                    Ty::Object,
                    vec![
                        (Some("name"), name),
                        (Some("status"), status),
                        (Some("outputs"), outputs),
                    ],
                ))
            }
        }
    }

    /// What stands in the state under `path` and the name that the argument gives; null where nothing does.
    pub(super) fn of(&self, path: &[&str], args: &[Expr]) -> Result<Code, Mistake> {
        match args[0].as_text() {
            Some(name) => Ok(self.state(&[path, &[name]].concat(), false)),
            None => {
                let (whole, key) = (self.state(path, true), self.expression(&args[0])?);
                Ok(Code {
                    ty: Ty::Any,
                    tera: None,
                    luau: format!("step({}, {}, true)", whole.luau, key.luau),
                    helpers: key.helpers.into_iter().chain(["step"]).collect(),
                })
            }
        }
    }

    /// A place in the state. `there`: it always has a value.
    pub(super) fn state(&self, path: &[&str], there: bool) -> Code {
        let chain = path.iter().try_fold(self.root.to_owned(), |chain, name| {
            Some(format!("{chain}{}", tera_field(name)?))
        });
        let tera = chain.map(|chain| Tera {
            text: if there {
                chain.clone()
            } else {
                format!("({chain} | default(value=null))")
            },
            chain: Some(chain),
            fails: false,
        });
        let mut helpers = BTreeSet::new();
        let luau = if there {
            path.iter().fold(self.root.to_owned(), |chain, name| {
                format!("{chain}{}", luau_field(name))
            })
        } else {
            helpers.insert("step");
            path[1..].iter().fold(
                format!("{}{}", self.root, luau_field(path[0])),
                |chain, name| format!("step({chain}, {}, true)", luau_text(name)),
            )
        };
        Code {
            ty: Ty::Any,
            tera,
            luau,
            helpers,
        }
    }

    /// `loopIndex` and its like, of the nearest loop or of the one that the name begins with.
    pub(super) fn loop_name(&self, name: &str) -> Option<Code> {
        if self.dialect != Dialect::Loom {
            return None;
        }
        let known = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];
        let (at, what) = if known.contains(&name) {
            (self.loops.iter().rposition(|around| around.counts)?, name)
        } else {
            known.iter().find_map(|what| {
                let of = name.strip_suffix(what)?.strip_suffix('_')?;
                let at = self
                    .loops
                    .iter()
                    .rposition(|around| around.counts && around.name == of)?;
                Some((at, *what))
            })?
        };
        let around = &self.loops[at];
        let innermost = at + 1 == self.loops.len();
        let ahead = self.ahead && innermost;
        let written = if innermost {
            what.to_owned()
        } else {
            format!("loops[{}].{what}", luau_text(&around.node))
        };
        let number = |text: String| constant(Ty::Number, Tera::plain(text.clone()), &text);
        Some(match what {
            "loopIndex" | "loopCount" if ahead => number(format!("({written} + 1)")),
            "loopIndex" | "loopCount" => number(written),
            "loopStartTime" => Code {
                ty: Ty::Number,
                tera: None,
                luau: format!("(time({written}) * 1000)"),
                helpers: BTreeSet::from(["time"]),
            },
            _ => {
                let before = if ahead { self.root.to_owned() } else { written };
                let fields: Vec<String> = around
                    .actions
                    .iter()
                    .map(|action| {
                        let name = luau_text(action);
                        format!("[{name}] = step({before}.outputs, {name}, true)")
                    })
                    .collect();
                Code {
                    ty: Ty::Any,
                    tera: None,
                    luau: format!(
                        "(if nothing({before}) then null else object({{ {} }}))",
                        fields.join(", ")
                    ),
                    helpers: BTreeSet::from(["nothing", "step"]),
                }
            }
        })
    }
}
