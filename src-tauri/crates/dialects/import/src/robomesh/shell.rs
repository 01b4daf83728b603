//! Translates shell nodes to a `command` Tool that runs the same shell with the same text, and a script that computes the
//! outputs.

use std::collections::BTreeSet;

use loopwright_model::environment::PASSED_ON;
use serde_json::{Value, json};

use super::{
    Made, Maker, Out, Port, Spec, Trouble, list, outputs::extraction, outputs::fields, ports,
    script_tool, text,
};

/// The time limit of a script in seconds: the maximum, because the source has no limit.
const TIMEOUT: u64 = 6 * 60 * 60;

/// A shell script that runs several scripts one after another, each in its own shell, until one fails. A separator divides their
/// outputs.
const SEVERAL: &str =
    r#"for text do sh -c "$text" || exit; printf '\036'; printf '\036' >&2; done"#;

/// Variables that every shell sets.
const OWN: [&str; 11] = [
    "IFS", "LINENO", "OLDPWD", "OPTARG", "OPTERR", "OPTIND", "PPID", "PS1", "PS2", "PS4", "PWD",
];

impl<'v> Maker<'v, '_> {
    pub(super) fn shell(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let texts = texts(spec);
        let folder = text(spec.data, "path").filter(|path| !path.is_empty());
        let is_read = |name: &str| {
            texts.iter().copied().chain(folder).any(|text| {
                text.contains(&format!("inputs.{name}"))
                    || (name == "input" && text.contains("input"))
            })
        };
        let mut inputs = self.inputs(spec, "in_", &is_read)?;
        let mut words = match texts.len() {
            1 => vec!["-c".to_owned()],
            _ => ["-c", SEVERAL, "sh"].map(str::to_owned).to_vec(),
        };
        let mut is_pasted = false;
        for text in &texts {
            let (template, has_values) = self.text(spec, text, &mut inputs)?;
            words.push(template);
            is_pasted |= has_values;
        }
        let mut args = json!({ "program": "sh", "args": words });
        if let Some(folder) = folder {
            let (template, _) = self.text(spec, folder, &mut inputs)?;
            args["cwd"] = json!(template);
        } else if let Some(folder) = self.folder {
            args["cwd"] = json!(folder);
        }
        let all = texts.join("\n");
        let (needed, optional) = variables(&all);
        if !needed.is_empty() {
            args["env"] = json!(needed);
        }
        args["timeout"] = json!(TIMEOUT);
        (inputs.named).sort_by(|one, other| one.handle.cmp(&other.handle));
        let script = result(spec, texts.len());
        if texts.is_empty() {
            // Without a script, the source returns empty outputs.
            let nothing = "const input = { stdout: \"\", stderr: \"\", exitCode: 0 };\n";
            let data = script_tool(json!({ "source": nothing.to_owned() + &script }));
            let node = self.own_node("tool", spec, data);
            let says = "A shell without a script has empty outputs.";
            self.builder.mapped(&spec.place, &node, says);
            return Ok(shell_made(spec, node));
        }
        let node = self.own_node("tool", spec, json!({ "tool": "command", "args": args }));
        self.take_inputs(spec, &node, &inputs);
        self.wire_named(spec, &node, &node, &inputs);
        let data = script_tool(json!({ "source": script }));
        let given = self.part("tool", spec, "result", data);
        self.builder
            .wire(&Port::of(&node), &Port::at(&given, "input"));
        self.say_shell(spec, &node, is_pasted, &optional);
        Ok(shell_made(spec, given))
    }

    fn say_shell(&mut self, spec: &Spec<'v>, node: &str, is_pasted: bool, asks: &[&str]) {
        let place = &spec.place;
        let says = "A shell script runs in the same shell (`sh -c`), with its text unchanged. You approve its command line before the run.";
        self.builder.mapped(place, node, says);
        if is_pasted {
            let says = "Values are inserted into the text of the script, as in the source: a value that contains quotes, `;` or `$(…)` becomes part of the script. Do not pass it anything that you would not run.";
            self.builder.mapped(place, node, says);
        }
        let says = "A shell script sees only the environment variables that are listed in its node's `env`, and may run for at most 6 hours. In the source it sees all variables and has no time limit.";
        self.builder.approximated(place, Some(node), says);
        if !asks.is_empty() {
            let says = format!(
                "The script reads {} from the environment. Add the variables that it needs to `env`.",
                asks.join(", ")
            );
            self.builder.approximated(place, Some(node), says);
        }
        if spec.continues() {
            let says = "If the script fails, the run continues, as in the source (`continueOnFailure`). The run then counts as completed; in the source it counts as failed.";
            self.builder.approximated(place, Some(node), says);
        }
    }
}

/// Returns the scripts of a shell node, in order: its `script` alone, otherwise its `commands`.
fn texts<'v>(spec: &Spec<'v>) -> Vec<&'v str> {
    let is_script = |text: &&str| !text.trim().is_empty();
    let script = text(spec.data, "script").filter(is_script);
    let commands = list(spec.data, "commands").iter();
    let commands = commands.filter_map(Value::as_str).filter(is_script);
    script.map_or_else(|| commands.collect(), |script| vec![script])
}

fn shell_made(spec: &Spec<'_>, node: String) -> Made {
    let port = Port::of(&node);
    let outputs = fields(spec, &port);
    let mut shown = ["output", "stdout"].into_iter();
    let shown = shown.find(|name| outputs.contains_key(*name));
    let end = Out {
        port,
        field: shown.map(str::to_owned),
    };
    Made {
        outputs,
        ..Made::new(spec, node, end)
    }
}

/// Returns the script that converts the program's result to outputs.
fn result(spec: &Spec<'_>, texts: usize) -> String {
    let mut script = String::new();
    if texts > 1 {
        script += "// Several scripts ran, with a separator between what they printed.\nconst code = input.exitCode ?? 0;\nconst parts = (text) => (code === 0 ? text.slice(0, -1) : text).split(\"\\u001e\");\nconst [outs, errors] = [parts(input.stdout), parts(input.stderr)];\n";
    } else {
        script += "const code = input.exitCode ?? 0;\nconst [outs, errors] = [[input.stdout], [input.stderr]];\n";
    }
    script += "if (input.truncated) throw new Error(\"The script printed more than is kept. Raise `maxOutput` of its node, or make it print less\");\nconst joined = (texts) => texts.map((text) => text.trim()).join(\"\\n\");\nconst raw = joined(outs.map((text, at) => text + (errors[at] ? \"\\n[stderr]\\n\" + errors[at] : \"\")));\n";
    if spec.continues() {
        script += "// A script that failed gives its exit code, and what it printed as one text.\nconst [stdout, stderr] = code === 0 ? [joined(outs), joined(errors)] : [\"\", \"\"];\n";
    } else {
        script += "if (code !== 0) throw new Error(\"The script failed with exit code \" + code + (raw ? \": \" + raw.slice(-500) : \"\"));\nconst [stdout, stderr] = [joined(outs), joined(errors)];\n";
    }
    let mut fields = String::new();
    for port in ports(spec, "outputs") {
        let value = match text(port, "name") {
            None => continue,
            Some(name @ ("stdout" | "stderr")) => name.to_owned(),
            Some("exitCode") => "code".to_owned(),
            Some(_) => extraction(port),
        };
        fields.push_str(&format!("    {}: {value},\n", port["name"]));
    }
    match fields.is_empty() {
        true => script + "return { output: raw };",
        false => script + "const from = stdout || raw;\nreturn {\n" + &fields + "};",
    }
}

/// Returns the environment variables that a script reads and does not set. The first list contains those that it requires, the
/// second those that it reads with a default. Only `NAME=`, `for`, `read` and `getopts` count as setting a variable.
fn variables(script: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut needed, mut optional) = (BTreeSet::new(), BTreeSet::new());
    let bytes = script.as_bytes();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => quoted = !quoted,
            b'\'' if !quoted => at += script[at + 1..].find('\'').map_or(0, |length| length + 1),
            b'#' if !quoted && (at == 0 || bytes[at - 1].is_ascii_whitespace()) => {
                at += script[at..].find('\n').unwrap_or(script.len() - at);
            }
            b'$' => {
                let braced = bytes.get(at + 1) == Some(&b'{');
                let rest = &script[at + 1 + usize::from(braced)..];
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(length);
                let is_name = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
                let is_known = OWN.contains(&name) || PASSED_ON.contains(&name);
                if is_name && !is_known && !is_set(script, name) {
                    let instead = behind.trim_start_matches(':').starts_with(['-', '+', '=']);
                    match braced && instead {
                        true => optional.insert(name),
                        false => needed.insert(name),
                    };
                }
            }
            _ => {}
        }
        at += 1;
    }
    let optional = optional.difference(&needed).copied().collect();
    (needed.into_iter().collect(), optional)
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Words that precede a command.
const BEFORE: [&str; 6] = ["while", "until", "if", "do", "then", "!"];

/// Returns whether a script sets a variable itself.
fn is_set(script: &str, name: &str) -> bool {
    script.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&script[..at], &script[at + name.len()..]);
        let is_other = before.ends_with(is_word) || behind.starts_with(is_word);
        if is_other || before.ends_with(['$', '{']) {
            return false;
        }
        let line = before.rsplit(['\n', ';', '|', '&', '(']).next();
        let mut words = line.unwrap_or_default().split_whitespace();
        let first = words.find(|word| !BEFORE.contains(word) && !word.contains('='));
        behind.starts_with('=')
            || behind.starts_with("+=")
            || first.is_some_and(|word| ["for", "read", "getopts"].contains(&word))
    })
}
