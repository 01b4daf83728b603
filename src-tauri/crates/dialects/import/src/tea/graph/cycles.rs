//! Finds the cycles of an agent's edges and translates them to loops.

use super::{
    BTreeMap, BTreeSet, Builder, Exits, Graph, ImportError, MOST_ITERATIONS, Outcome, Port, Target,
    Value, json, steps,
};

impl Graph<'_> {
    pub(super) fn refuse_cycle(&self, component: &BTreeSet<usize>, why: &str) -> ImportError {
        let names: Vec<&str> = component
            .iter()
            .map(|at| self.vertices[*at].name.as_str())
            .collect();
        ImportError::refused(
            "edges",
            format!(
                "the cycle of {} {why}. Use a while_loop or retry.loop there",
                crate::naming::listed(names.into_iter())
            ),
        )
    }

    /// Returns the strongly connected components in execution order (Tarjan 1972, without recursion).
    pub(super) fn components(
        &self,
        set: &BTreeSet<usize>,
        header: Option<usize>,
    ) -> Vec<BTreeSet<usize>> {
        let next = |at: usize| -> Vec<usize> {
            self.successors(at)
                .filter(|to| set.contains(to) && Some(*to) != header)
                .collect()
        };
        let mut index: BTreeMap<usize, usize> = BTreeMap::new();
        let mut low: BTreeMap<usize, usize> = BTreeMap::new();
        let mut stack: Vec<usize> = Vec::new();
        let mut on_stack: BTreeSet<usize> = BTreeSet::new();
        let mut found = Vec::new();
        for &root in set {
            if index.contains_key(&root) {
                continue;
            }
            let mut work = vec![(root, next(root), 0)];
            index.insert(root, index.len());
            low.insert(root, index[&root]);
            stack.push(root);
            on_stack.insert(root);
            while let Some((at, successors, done)) = work.last_mut() {
                let at = *at;
                if let Some(&to) = successors.get(*done) {
                    *done += 1;
                    if !index.contains_key(&to) {
                        let number = index.len();
                        index.insert(to, number);
                        low.insert(to, number);
                        stack.push(to);
                        on_stack.insert(to);
                        work.push((to, next(to), 0));
                    } else if on_stack.contains(&to) {
                        let lower = low[&at].min(index[&to]);
                        low.insert(at, lower);
                    }
                    continue;
                }
                work.pop();
                if let Some((parent, ..)) = work.last() {
                    let lower = low[parent].min(low[&at]);
                    low.insert(*parent, lower);
                }
                if low[&at] == index[&at] {
                    let mut component = BTreeSet::new();
                    while let Some(member) = stack.pop() {
                        on_stack.remove(&member);
                        component.insert(member);
                        if member == at {
                            break;
                        }
                    }
                    found.push(component);
                }
            }
        }
        found.reverse();
        found
    }

    /// Translates a cycle to a Loop. An iteration begins at the cycle's entrance, and edges back to the entrance are the
    /// feedback. Fails if the cycle cannot be translated.
    pub(super) fn cycle(
        &self,
        component: &BTreeSet<usize>,
        head: usize,
        incoming: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Exits, ImportError> {
        let name = &self.vertices[head].name;
        build.permit_iterations(MOST_ITERATIONS);
        build.enter("cycle", "edges");
        let start = build.node(
            "loop",
            &format!("Repeat {name}"),
            json!({
                "maxIterations": MOST_ITERATIONS, "exitCondition": "evaluator", "feedbackMode": "replace",
                "inputName": "state", "onLimit": "fail"
            }),
        );
        build.wire_all(&incoming, &Port::at(&start, "input"));
        let body = vec![Port::at(&start, "body")];
        let mut exits = self.scope(component, BTreeMap::from([(head, body)]), Some(head), build)?;
        build.leave();
        let back = exits.remove(&Target::Node(head)).unwrap_or_default();
        build.wire_all(&back, &Port::at(&start, "feedback"));
        if exits.is_empty() {
            return Err(self.refuse_cycle(
                component,
                "has no edge that leaves it, so it would never end",
            ));
        }
        let end = build.node("exit", &format!("After {name}"), json!({}));
        build.say(
            Outcome::Approximated,
            "edges",
            Some(&start),
            format!(
                "The edges that lead back to “{name}” become a loop. It continues while their conditions are true, at most {MOST_ITERATIONS} times; then the run fails."
            ),
        );
        if exits.len() == 1 {
            return Ok(exits
                .into_iter()
                .map(|(target, ports)| {
                    build.wire_all(&ports, &Port::of(&end));
                    (target, vec![Port::of(&end)])
                })
                .collect());
        }
        // Several exits join at the Exit. The state records which one was taken until the paths separate again.
        let mut branches = Vec::new();
        for (target, ports) in &exits {
            let to = self.target_name(*target);
            let mark = steps::script(
                build,
                &format!("Leave for {to}"),
                &format!("input[\"_leave\"] = {to:?}\nreturn input"),
                None,
                ports,
            );
            build.wire(&Port::of(&mark), &Port::of(&end));
            branches.push((to.to_owned(), *target));
        }
        let rules: Vec<Value> = branches
            .iter()
            .map(|(to, _)| json!({ "name": to, "when": format!("input._leave == {to:?}") }))
            .collect();
        let router = build.node(
            "router",
            &format!("Next step after {name}"),
            json!({ "mode": "rules", "branches": rules }),
        );
        build.wire(&Port::of(&end), &Port::of(&router));
        let mut left = Exits::new();
        for (to, target) in branches {
            let clear = steps::script(
                build,
                &format!("On to {to}"),
                "input.pop(\"_leave\")\nreturn input",
                None,
                &[Port::at(&router, to)],
            );
            left.insert(target, vec![Port::of(&clear)]);
        }
        Ok(left)
    }
}
