//! Calls: Python's own functions, its modules, and methods of values.

use super::super::runtime::PYTHON;
use super::{Expr, ExprCall, MODULES, Why, Writer, called, text};

impl Writer {
    pub(super) fn arguments(&mut self, call: &ExprCall) -> Result<Vec<String>, Why> {
        call.arguments
            .args
            .iter()
            .map(|argument| self.value(argument))
            .collect()
    }

    /// The value of a keyword argument.
    pub(super) fn keyword(&mut self, call: &ExprCall, name: &str) -> Result<Option<String>, Why> {
        call.arguments
            .keywords
            .iter()
            .find(|word| word.arg.as_ref().is_some_and(|arg| arg.as_str() == name))
            .map(|word| self.value(&word.value))
            .transpose()
    }

    /// Errs where a call has keyword arguments besides these.
    pub(super) fn only(call: &ExprCall, known: &[&str]) -> Result<(), Why> {
        for word in &call.arguments.keywords {
            match &word.arg {
                Some(name) if known.contains(&name.as_str()) => {}
                Some(name) => return Err(format!("calls something with `{name}=`")),
                None => return Err("calls something with `**`".to_owned()),
            }
        }
        Ok(())
    }

    pub(super) fn call(&mut self, call: &ExprCall) -> Result<String, Why> {
        match &*call.func {
            Expr::Name(name) if self.is_local(name.id.as_str()) => {
                let args = self.placed(name.id.as_str(), call)?;
                Ok(format!("{}({})", called(name.id.as_str()), args.join(", ")))
            }
            Expr::Name(name) => self.builtin(name.id.as_str(), call),
            Expr::Attribute(method) => {
                if let Expr::Name(module) = &*method.value
                    && MODULES.contains(&module.id.as_str())
                    && !self.is_local(module.id.as_str())
                {
                    return self.module(module.id.as_str(), method.attr.as_str(), call);
                }
                self.method(&method.value, method.attr.as_str(), call)
            }
            _ => Err("calls what is no name".to_owned()),
        }
    }

    /// The arguments of a function that the block defines, those with a name at the places of their parameters.
    fn placed(&mut self, name: &str, call: &ExprCall) -> Result<Vec<String>, Why> {
        let mut args = self.arguments(call)?;
        if call.arguments.keywords.is_empty() {
            return Ok(args);
        }
        let known = self.functions.iter().rev().find(|(known, _)| known == name);
        let Some((_, parameters)) = known.cloned() else {
            Self::only(call, &[])?;
            return Ok(args);
        };
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        Self::only(call, &names)?;
        for parameter in parameters.iter().skip(args.len()) {
            let given = self.keyword(call, parameter)?;
            args.push(given.unwrap_or_else(|| "nil".to_owned()));
        }
        while args.last().is_some_and(|last| last == "nil") {
            args.pop();
        }
        Ok(args)
    }

    pub(super) fn builtin(&mut self, name: &str, call: &ExprCall) -> Result<String, Why> {
        if name == "isinstance" {
            return self.is_instance(call);
        }
        let args = self.arguments(call)?;
        let list = args.join(", ");
        let nil = || "nil".to_owned();
        Ok(match name {
            "len" | "str" | "repr" | "float" | "any" | "all" | "abs" | "reversed" | "range"
            | "int" | "sum" | "zip" | "round" => {
                Self::only(call, &[])?;
                if name == "str" && args.is_empty() {
                    return Ok("\"\"".to_owned());
                }
                format!("py.{name}({list})")
            }
            "bool" => format!("py.truthy({list})"),
            "list" | "tuple" => format!("py.tolist({list})"),
            "set" | "frozenset" => format!("py.toset({list})"),
            "dict" => {
                let mut fields = Vec::new();
                for word in &call.arguments.keywords {
                    let Some(name) = &word.arg else {
                        return Err("calls something with `**`".to_owned());
                    };
                    fields.push(format!(
                        "[{}] = {}",
                        text(name.as_str()),
                        self.value(&word.value)?
                    ));
                }
                if fields.is_empty() {
                    format!("py.todict({list})")
                } else {
                    let own = format!("{{ {} }}", fields.join(", "));
                    format!("py.merged({})", [args, vec![own]].concat().join(", "))
                }
            }
            "enumerate" => {
                Self::only(call, &["start"])?;
                let start = self.keyword(call, "start")?;
                let args = [args, start.into_iter().collect()].concat();
                format!("py.enumerate({})", args.join(", "))
            }
            "sorted" => {
                Self::only(call, &["key", "reverse"])?;
                let key = self.keyword(call, "key")?.unwrap_or_else(nil);
                let reverse = self.keyword(call, "reverse")?.unwrap_or_else(nil);
                format!("py.sorted({list}, {key}, {reverse})")
            }
            "min" | "max" => {
                Self::only(call, &["key", "default"])?;
                let key = self.keyword(call, "key")?.unwrap_or_else(nil);
                let usual = self.keyword(call, "default")?.unwrap_or_else(nil);
                format!("py.{name}({key}, {usual}, {list})")
            }
            "filter" | "divmod" | "ord" | "chr" | "next" => {
                Self::only(call, &[])?;
                format!("py.{name}({list})")
            }
            "pow" if args.len() == 2 => format!("py.pow({list})"),
            "map" if args.len() == 2 => format!(
                "(function() local out = array({{}}) for _, each in ipairs(py.iter({})) do table.insert(out, ({})(each)) end return out end)()",
                args[1], args[0]
            ),
            other => return Err(format!("calls `{other}`, which scripts here do not have")),
        })
    }

    pub(super) fn is_instance(&mut self, call: &ExprCall) -> Result<String, Why> {
        let (Some(value), Some(kinds)) = (call.arguments.args.first(), call.arguments.args.get(1))
        else {
            return Err("calls `isinstance` with too little".to_owned());
        };
        let value = self.value(value)?;
        let kinds: Vec<&Expr> = match kinds {
            Expr::Tuple(kinds) => kinds.elts.iter().collect(),
            one => vec![one],
        };
        let tests = kinds
            .into_iter()
            .map(|kind| match kind {
                Expr::Name(name) => match name.id.as_str() {
                    kind @ ("str" | "dict" | "bool" | "float") => {
                        Ok(format!("py.kind({value}) == \"{kind}\""))
                    }
                    // Of Python's two kinds of lists there is one here, and `True` is an int in Python.
                    "list" | "tuple" | "set" => Ok(format!("py.kind({value}) == \"list\"")),
                    "int" => Ok(format!(
                        "(py.kind({value}) == \"int\" or type({value}) == \"boolean\")"
                    )),
                    other => Err(format!("asks whether something is a `{other}`")),
                },
                _ => Err("asks for a type that is no name".to_owned()),
            })
            .collect::<Result<Vec<_>, Why>>()?;
        Ok(format!("({})", tests.join(" or ")))
    }

    pub(super) fn module(
        &mut self,
        module: &str,
        name: &str,
        call: &ExprCall,
    ) -> Result<String, Why> {
        let args = self.arguments(call)?;
        let list = args.join(", ");
        match (module, name) {
            ("json", "loads") => Ok(format!("py.json_loads({list})")),
            ("json", "dumps") => {
                Self::only(call, &["indent", "ensure_ascii", "default", "sort_keys"])?;
                self.differs(
                    "`json.dumps` writes the names of an object in their order by letters.",
                );
                let indent = self
                    .keyword(call, "indent")?
                    .unwrap_or_else(|| "nil".to_owned());
                let value = args.first().ok_or("calls `json.dumps` with nothing")?;
                Ok(format!("py.json_dumps({value}, {indent})"))
            }
            (
                "math",
                "sqrt" | "floor" | "ceil" | "exp" | "log" | "log10" | "sin" | "cos" | "tan" | "pow"
                | "fmod",
            ) => Ok(format!("math.{name}({list})")),
            ("re", _) => self.pattern(name, call, &args),
            ("copy", "copy") => Ok(format!("py.m_copy({list})")),
            ("copy", "deepcopy") => Ok(format!("py.deepcopy({list})")),
            ("time", "sleep") => {
                self.differs("`time.sleep` does nothing: a script does not wait.");
                Ok("null".to_owned())
            }
            ("time", _) => Err(format!(
                "calls `time.{name}`, and a script has no clock; take the time as an input"
            )),
            _ => Err(format!(
                "calls `{module}.{name}`, which scripts here do not have"
            )),
        }
    }

    /// A call of `re`.
    fn pattern(&mut self, name: &str, call: &ExprCall, args: &[String]) -> Result<String, Why> {
        Self::only(call, &["flags", "count", "maxsplit"])?;
        let mut named = |word: &str, at: usize| -> Result<String, Why> {
            let given = self.keyword(call, word)?;
            Ok(given
                .or_else(|| args.get(at).cloned())
                .unwrap_or_else(|| "nil".to_owned()))
        };
        let arg = |at: usize| args.get(at).map_or("nil", String::as_str);
        Ok(match name {
            "search" | "findall" | "finditer" => {
                let flags = named("flags", 2)?;
                format!("py.re_{name}({}, {}, {flags})", arg(0), arg(1))
            }
            "match" | "fullmatch" => {
                let flags = named("flags", 2)?;
                let whole = name == "fullmatch";
                format!("py.re_prefix({}, {}, {flags}, {whole})", arg(0), arg(1))
            }
            "split" => {
                let (most, flags) = (named("maxsplit", 2)?, named("flags", 3)?);
                format!("py.re_split({}, {}, {most}, {flags})", arg(0), arg(1))
            }
            "sub" => {
                let (count, flags) = (named("count", 3)?, named("flags", 4)?);
                format!(
                    "py.re_sub({}, {}, {}, {count}, {flags})",
                    arg(0),
                    arg(1),
                    arg(2)
                )
            }
            "escape" => format!("py.re_escape({})", arg(0)),
            "compile" => {
                let flags = named("flags", 1)?;
                format!("py.re_read({}, {flags} or \"\")", arg(0))
            }
            other => {
                return Err(format!(
                    "calls `re.{other}`, which scripts here do not have"
                ));
            }
        })
    }

    pub(super) fn method(
        &mut self,
        object: &Expr,
        name: &str,
        call: &ExprCall,
    ) -> Result<String, Why> {
        // What `re.compile` gave is asked by the same names as the module.
        if ["search", "findall", "finditer", "match", "fullmatch", "sub"].contains(&name) {
            let pattern = self.value(object)?;
            let args = [vec![pattern], self.arguments(call)?].concat();
            return self.pattern(name, call, &args);
        }
        if name == "format" {
            return self.formatting(object, call);
        }
        let name = match name {
            "rindex" => "rfind",
            name => name,
        };
        let helper = format!("m_{name}");
        if !PYTHON.has(&helper) {
            return Err(format!("calls `.{name}()`, which scripts here do not have"));
        }
        let object = self.value(object)?;
        let mut args = vec![object];
        args.extend(self.arguments(call)?);
        if name == "sort" {
            Self::only(call, &["key", "reverse"])?;
            for word in ["key", "reverse"] {
                args.push(
                    self.keyword(call, word)?
                        .unwrap_or_else(|| "nil".to_owned()),
                );
            }
        } else {
            Self::only(call, &[])?;
        }
        if ["items", "keys", "values"].contains(&name) {
            self.differs("The names of an object come in their order by letters, and not in the order they were set.");
        }
        Ok(format!("py.{helper}({})", args.join(", ")))
    }

    /// `"…".format(…)`.
    fn formatting(&mut self, object: &Expr, call: &ExprCall) -> Result<String, Why> {
        let mut names = Vec::new();
        for word in &call.arguments.keywords {
            let Some(name) = &word.arg else {
                return Err("calls something with `**`".to_owned());
            };
            let value = self.value(&word.value)?;
            names.push(format!("[{}] = {value}", text(name.as_str())));
        }
        let object = self.value(object)?;
        let mut args = vec![object, format!("{{ {} }}", names.join(", "))];
        args.extend(self.arguments(call)?);
        Ok(format!("py.m_format({})", args.join(", ")))
    }
}
