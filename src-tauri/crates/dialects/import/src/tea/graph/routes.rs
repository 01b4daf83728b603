//! Translates the edges of a node. The source follows the first edge whose condition is true, or all edges at once.

use super::{
    super::loops::record, BTreeMap, Builder, Exits, Graph, ImportError, Map, Outcome, Port, Target,
    Templates, Value, Way, bare, json, steps,
};

impl Graph<'_> {
    /// Adds parallel branches, and the node that stores their results in `parallel_results`. Fails if a branch cannot be
    /// translated, or does not end where the branches join.
    pub(super) fn branches(
        &self,
        name: &str,
        branches: &[usize],
        fan_in: usize,
        from: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Vec<Port>, ImportError> {
        let from = steps::joined(build, from);
        let mut args = Map::new();
        let mut list = Vec::new();
        for (at, branch) in branches.iter().enumerate() {
            let state = format!("branch{}", at + 1);
            let name = Value::String(self.vertices[*branch].name.clone()).to_string();
            list.push(record(&name, &state, "None"));
            args.insert(state, Value::Null);
        }
        let source = format!(
            "input[\"parallel_results\"] = [\n    {}\n]\nreturn input",
            list.join(",\n    ")
        );
        args.insert("source".to_owned(), source.into());
        let label = format!("Join after {name}");
        let join = build.node(
            "tool",
            &label,
            json!({ "tool": "script.python", "args": args }),
        );
        build.wire_all(&from, &Port::at(&join, "input"));
        for (number, branch) in branches.iter().enumerate() {
            let set = self.reach(*branch, fan_in);
            let mut exits =
                self.scope(&set, BTreeMap::from([(*branch, from.clone())]), None, build)?;
            let ports = exits.remove(&Target::Node(fan_in)).unwrap_or_default();
            if !exits.is_empty() || ports.is_empty() {
                return Err(ImportError::refused(
                    "edges",
                    format!(
                        "the parallel branch “{}” does not end at “{}”, where it should join",
                        self.vertices[*branch].name, self.vertices[fan_in].name
                    ),
                ));
            }
            build.wire_all(&ports, &Port::at(&join, format!("branch{}", number + 1)));
        }
        build.mapped(
            "edges",
            &join,
            format!(
                "{} branches run at once. `parallel_results` contains their final states in the order of the edges, each with `timing_ms` 0. If a branch fails, the run ends, as in TEA.",
                branches.len()
            ),
        );
        Ok(vec![Port::of(&join)])
    }

    /// Translates edges with conditions. The run follows the first edge whose condition is true. Several edges become a Router.
    /// A condition without an equivalent becomes a placeholder before the Router.
    pub(super) fn route(
        &self,
        name: &str,
        ways: &[Way],
        from: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Exits, ImportError> {
        let mut ways: Vec<Way> = ways.to_vec();
        for way in &mut ways {
            if way
                .when
                .as_deref()
                .is_some_and(|when| bare(when).eq_ignore_ascii_case("true"))
            {
                way.when = None;
            }
        }
        ways.retain(|way| {
            let never = way
                .when
                .as_deref()
                .is_some_and(|when| bare(when).eq_ignore_ascii_case("false"));
            if never {
                build.say(
                    Outcome::Ignored,
                    way.place.clone(),
                    None,
                    "This edge is never taken, because its condition is always false.".to_owned(),
                );
            }
            !never
        });
        if let Some(always) = ways.iter().position(|way| way.when.is_none()) {
            for way in ways.drain(always + 1..) {
                build.say(
                    Outcome::Ignored,
                    way.place,
                    None,
                    format!("An earlier edge from “{name}” is always taken, because the first edge whose condition is true is taken."),
                );
            }
        }
        if let [only] = ways.as_slice()
            && only.when.is_none()
        {
            return Ok(Exits::from([(only.to, from)]));
        }
        if ways.is_empty() {
            return Ok(Exits::from([(Target::End, from)]));
        }
        let mut templates = Templates::new(&self.agent.constants).with("result");
        let mut choice = String::from("def way():\n");
        let mut branches = Vec::new();
        let mut exits = Exits::new();
        let mut taken: Vec<String> = Vec::new();
        let mut fallback = None;
        let mut untold = Vec::new();
        for (at, way) in ways.iter().enumerate() {
            let to = self.target_name(way.to);
            let mut branch = to.to_owned();
            let mut number = 2;
            while taken.contains(&branch) {
                branch = format!("{to} {number}");
                number += 1;
            }
            taken.push(branch.clone());
            match &way.when {
                None => {
                    fallback = Some(branch.clone());
                    branches.push(json!({ "name": branch }));
                }
                Some(when) => {
                    let test = match way.is_rule {
                        true => templates.rule(when),
                        false => templates.condition(when),
                    };
                    let test = test.unwrap_or_else(|why| {
                        untold.push((way.place.clone(), format!("its condition `{when}` {why}")));
                        "False".to_owned()
                    });
                    choice.push_str(&format!("    if {test}:\n        return {at}\n"));
                    branches.push(json!({ "name": branch, "when": at }));
                }
            }
            exits.entry(way.to).or_default().push(Port::at("", branch));
        }
        let mut from = from;
        for (place, why) in untold {
            let id = build.placeholder(
                &format!("Condition after {name}"),
                &place,
                Value::String(why.clone()),
                &why,
            );
            build.wire_all(&from, &Port::of(&id));
            from = vec![Port::of(&id)];
        }
        let mut before = templates.before;
        if ways.iter().any(|way| {
            way.when
                .as_ref()
                .is_some_and(|when| when.contains("result"))
        }) {
            before.insert_str(0, "result = state\n");
            build.approximated(
                &ways[0].place,
                None,
                "`result` is the whole state here; in TEA it is only what the previous node returned.",
            );
        }
        before.push_str(&choice);
        before.push_str("    return -1\n");
        let (from, chosen) =
            steps::tested(build, &format!("after {name}"), &before, "way()", &from);
        for branch in &mut branches {
            if let Some(at) = branch.get("when").cloned() {
                branch["when"] = format!("{chosen} == {at}").into();
            }
        }
        let mut data = json!({ "mode": "rules", "branches": branches });
        if let Some(fallback) = fallback {
            data["fallback"] = fallback.into();
        }
        let router = build.node("router", &format!("After {name}"), data);
        build.wire_all(&from, &Port::of(&router));
        build.mapped(
            &ways[0].place,
            &router,
            format!("The first edge of “{name}” whose condition is true is taken."),
        );
        for ports in exits.values_mut() {
            for port in ports {
                port.node.clone_from(&router);
            }
        }
        Ok(exits)
    }
}
