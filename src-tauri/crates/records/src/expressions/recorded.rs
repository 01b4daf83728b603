//! The values that the names in a template had in a recorded run.
//!
//! The flow may have changed since the run. A value is found by the id of its node and by the iterations around the node. The
//! value of an input that was not recorded is read from the node to which the input is connected now. A value that the run
//! never had is missing.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    rc::Rc,
    sync::Arc,
};

use loopwright_engine::{
    Outcome,
    event::timestamp,
    journal::{Journal, Select},
    reading::{self, Read},
};
use loopwright_model::{
    Shape,
    graph::NodeIx,
    validate::{Meaning, Place},
};
use loopwright_runs::ApiError;
use loopwright_template::{Reference, Scope, Template};
use serde_json::{Map, Value, json};

use crate::tree::{RunTree, Step, Values};

/// The maximum number of iterations for which variables are recomputed. Later values are not shown.
const MOST_PASSES: u32 = 200;

/// The input and the result of one iteration of a region.
struct Pass {
    input: Option<Arc<Value>>,
    result: Option<Arc<Value>>,
}

/// A recorded run. Each path is read on first use.
pub(super) struct Recorded<'a> {
    journal: &'a dyn Journal,
    pub(super) run_id: String,
    /// The inputs of the run.
    given: Value,
    /// The prefix of the paths of the flow's nodes: empty for the run's own flow, and `outer[2]/polish/` for a subflow.
    prefix: String,
    /// The iterations that the user chose, from 1, keyed by the loop's id. For a loop that is missing here, the newest
    /// iteration is used.
    chosen: BTreeMap<String, u32>,
    steps: RefCell<HashMap<String, Rc<Step>>>,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(
        journal: &'a dyn Journal,
        run_id: &str,
        prefix: &str,
        chosen: BTreeMap<String, u32>,
    ) -> Result<Self, ApiError> {
        let (header, _) = journal.run(run_id)?;
        let prefix = if prefix.is_empty() {
            String::new()
        } else {
            format!("{}/", prefix.trim_end_matches('/'))
        };
        Ok(Self {
            journal,
            run_id: run_id.to_owned(),
            given: header.inputs,
            prefix,
            chosen,
            steps: RefCell::default(),
        })
    }

    /// Returns the record at `path`. An unreadable record counts as missing, because a preview does not report errors of the
    /// store.
    fn step(&self, path: &str) -> Rc<Step> {
        if let Some(known) = self.steps.borrow().get(path) {
            return Rc::clone(known);
        }
        let select = Select::Path(path);
        let step = RunTree::read(self.journal, &self.run_id, select, Values::Whole)
            .ok()
            .and_then(|tree| tree.into_step(path))
            .unwrap_or_default();
        let step = Rc::new(step);
        self.steps
            .borrow_mut()
            .insert(path.to_owned(), Rc::clone(&step));
        step
    }
}

/// A run as seen from one field.
pub(super) struct View<'a> {
    run: &'a Recorded<'a>,
    place: &'a Place<'a>,
    /// The index, from 0, of the iteration to use instead of the chosen one, keyed by region.
    fixed: BTreeMap<usize, u32>,
    /// While the variables of a region are recomputed: the index of the region, and the variables so far. Otherwise `None`.
    vars: Option<(usize, Map<String, Value>)>,
}

impl<'a> View<'a> {
    pub(super) fn new(run: &'a Recorded<'a>, place: &'a Place<'a>) -> Self {
        Self {
            run,
            place,
            fixed: BTreeMap::new(),
            vars: None,
        }
    }

    /// Returns the path of this view: `refine[3]/draft`, or `refine[3]` for a loop's own expressions. `None` if an enclosing
    /// loop has no recorded iteration.
    pub(super) fn path(&self) -> Option<String> {
        let node = self.place.node_index();
        match self.place.own_region() {
            Some(own) => self
                .inside(Some(own))
                .map(|path| path.trim_end_matches('/').to_owned()),
            None => Some(format!(
                "{}{}",
                self.inside(self.region_of(node))?,
                self.id(node)
            )),
        }
    }

    /// Returns the names that `references` read, with the values of the run. Missing values are left out.
    pub(super) fn names(&self, references: &[Reference]) -> Scope {
        let mut by_root: BTreeMap<&str, Vec<&Reference>> = BTreeMap::new();
        for reference in references {
            by_root.entry(&reference.root).or_default().push(reference);
        }
        let mut names = Scope::new();
        for (root, uses) in by_root {
            if let Some(meaning) = self.place.meaning(root) {
                self.put(&mut names, root, meaning, &uses);
            }
        }
        names
    }

    fn put(&self, names: &mut Scope, root: &str, meaning: Meaning, uses: &[&Reference]) {
        let value = match meaning {
            Meaning::Node(node) => {
                let read = Read::of(uses.iter().map(|reference| reference.path.as_slice()));
                if let Some(outcome) = self.outcome(node) {
                    reading::put(names, root, &outcome, &read);
                }
                return;
            }
            Meaning::Nodes => return self.put_nodes(names, root, uses, &|node| self.outcome(node)),
            Meaning::Previous(Some(region)) => {
                let before = self.before(region);
                let outcome = |node| match &before {
                    Some(view) => view.outcome(node),
                    None => None,
                };
                return self.put_nodes(names, root, uses, &outcome);
            }
            Meaning::Input => self.input(),
            Meaning::Handle => self.handle(root),
            Meaning::Inputs => self.inputs(uses),
            Meaning::Run => Some(json!({ "inputs": self.given() })),
            Meaning::Loops => Some(self.loops(uses)),
            Meaning::Vars(Some(region)) => self.vars(region).map(Value::Object),
            Meaning::Result => self
                .place
                .own_region()
                .and_then(|own| self.pass(own))
                .and_then(|(_, _, pass)| Some((*pass.result?).clone())),
            Meaning::Item(region) | Meaning::Second(region) => self.began_with(region),
            Meaning::Index(region) => self.pass(region).map(|(_, index, _)| index.into()),
            Meaning::Count(region, name) => self.count(region, name),
            // The records contain this value, but it cannot be previewed yet.
            Meaning::Workspace(_) => None,
            Meaning::Vars(None) | Meaning::Previous(None) => None,
        };
        if let Some(value) = value {
            names.insert(root.to_owned(), value);
        }
    }

    /// Adds `nodes` or `previous`: an object with the values of the nodes that the template reads, by node id.
    fn put_nodes(
        &self,
        names: &mut Scope,
        root: &str,
        uses: &[&Reference],
        outcome: &dyn Fn(NodeIx) -> Option<Arc<Outcome>>,
    ) {
        let mut by_id: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
        for reference in uses {
            if let Some((id, rest)) = reference.path.split_first() {
                by_id.entry(id).or_default().push(rest);
            }
        }
        let reads: Vec<(&str, Read)> = by_id
            .into_iter()
            .map(|(id, paths)| (id, Read::of(paths.into_iter())))
            .collect();
        let found = reads.iter().filter_map(|(id, read)| {
            let outcome = self.place.graph().index(id).and_then(outcome);
            // Under `nodes`, a node without an output is missing. Under `previous`, it is null, as in the first iteration.
            (outcome.is_some() || root == "previous").then_some((*id, outcome, read))
        });
        reading::put_all(names, root, found);
    }

    fn id(&self, node: NodeIx) -> &str {
        &self.place.flow().nodes[node].id
    }

    fn region_of(&self, node: NodeIx) -> Option<usize> {
        self.place.all_regions().scope_of[node]
    }

    /// Returns the path of the node that starts a region, the index of the region's current iteration from 0, and the values
    /// of that iteration; `None` if no iteration is recorded.
    fn pass(&self, region: usize) -> Option<(String, u32, Pass)> {
        let found = &self.place.all_regions().regions[region];
        let id = self.id(found.start);
        let path = format!("{}{id}", self.inside(found.parent)?);
        let step = self.run.step(&path);
        let passes = &step.scope.as_ref()?.iterations;
        let last = *passes.keys().next_back()?;
        let index = match (self.fixed.get(&region), self.run.chosen.get(id)) {
            (Some(fixed), _) => *fixed,
            (None, Some(chosen)) => chosen.saturating_sub(1).min(last),
            (None, None) => last,
        };
        let iteration = passes.get(&index)?;
        let pass = Pass {
            input: iteration.input.clone(),
            result: iteration.end.as_ref().map(|end| Arc::clone(&end.result)),
        };
        Some((path, index, pass))
    }

    /// Returns the prefix of the paths of the nodes in a region. For `None`, returns the prefix of the flow's own nodes.
    fn inside(&self, region: Option<usize>) -> Option<String> {
        let Some(region) = region else {
            return Some(self.run.prefix.clone());
        };
        let (path, index, _) = self.pass(region)?;
        Some(format!("{path}[{}]/", index + 1))
    }

    /// Returns this view in the previous iteration of `region`, or `None` in the first. A variable's `next` computes the value
    /// for the following iteration, so its previous iteration is the current one.
    fn before(&self, region: usize) -> Option<View<'a>> {
        let (_, index, _) = self.pass(region)?;
        let is_next =
            self.place.own_region() == Some(region) && self.place.data_field().ends_with(".next");
        let index = if is_next {
            index
        } else {
            index.checked_sub(1)?
        };
        Some(self.at(region, index))
    }

    fn at(&self, region: usize, index: u32) -> View<'a> {
        let mut fixed = self.fixed.clone();
        fixed.insert(region, index);
        View {
            run: self.run,
            place: self.place,
            fixed,
            vars: self.vars.clone(),
        }
    }

    /// Returns the outcome of a node in this view; `None` if none is recorded.
    fn outcome(&self, node: NodeIx) -> Option<Arc<Outcome>> {
        let regions = &self.place.all_regions().regions;
        let opens = |region: &usize| regions[*region].start == node;
        if let Some(region) = self.place.regions().into_iter().find(opens) {
            let (_, index, pass) = self.pass(region)?;
            let input = pass.input?;
            let outcome = Outcome::single("output", Arc::clone(&input))
                .with("body", Arc::clone(&input))
                .with("item", input)
                .with("index", Value::from(index));
            return Some(Arc::new(outcome));
        }
        let path = format!("{}{}", self.inside(self.region_of(node))?, self.id(node));
        self.run.step(&path).outcome.clone()
    }

    fn began_with(&self, region: usize) -> Option<Value> {
        let (_, _, pass) = self.pass(region)?;
        Some((*pass.input?).clone())
    }

    /// Returns the step of the node that contains the field; `None` if an enclosing loop has no recorded iteration.
    fn own_step(&self) -> Option<Rc<Step>> {
        let node = self.place.node_index();
        let path = format!("{}{}", self.inside(self.region_of(node))?, self.id(node));
        Some(self.run.step(&path))
    }

    fn input(&self) -> Option<Value> {
        if let Some(own) = self.place.own_region() {
            return self.began_with(own);
        }
        let step = self.own_step()?;
        let recorded = step
            .primary
            .as_ref()
            .and_then(|primary| step.inputs.get(primary));
        if let Some(value) = recorded {
            return Some((**value).clone());
        }
        let node = self.place.node_index();
        let primary = self.place.graph().handles[node].primary_input()?;
        self.handle(&primary.name)
    }

    /// Returns the value at an input of the node: the recorded value or, if none was recorded, the value that the current
    /// wire carries. `None` if neither is known.
    fn handle(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.own_step()?.inputs.get(name) {
            return Some((**value).clone());
        }
        let graph = self.place.graph();
        let node = self.place.node_index();
        graph.predecessors(node).find_map(|(edge, source)| {
            let edge = &self.place.flow().edges[edge];
            let handle = graph.handles[node].input(edge.target_handle.as_deref())?;
            if handle.name != name {
                return None;
            }
            let outcome = self.outcome(source)?;
            let from = graph.handles[source].output(edge.source_handle.as_deref())?;
            let value = outcome.handle(&from.name)?;
            Some((**value).clone())
        })
    }

    fn inputs(&self, uses: &[&Reference]) -> Option<Value> {
        let all = uses.iter().any(|reference| reference.path.is_empty());
        let node = self.place.node_index();
        let mut found = Map::new();
        for handle in &self.place.graph().handles[node].inputs {
            let is_read = all
                || uses
                    .iter()
                    .any(|reference| reference.path.first() == Some(&handle.name));
            if is_read && let Some(value) = self.handle(&handle.name) {
                found.insert(handle.name.clone(), value);
            }
        }
        Some(Value::Object(found))
    }

    /// Returns the inputs of the run or of the subflow.
    fn given(&self) -> Value {
        let mut given: Map<String, Value> = match self.run.prefix.strip_suffix('/') {
            Some(subflow) => self
                .run
                .step(subflow)
                .inputs
                .iter()
                .map(|(name, value)| (name.to_string(), (**value).clone()))
                .collect(),
            None => self.run.given.as_object().cloned().unwrap_or_default(),
        };
        // An input without a value gets its default.
        for node in &self.place.flow().nodes {
            let Some(index) = self.place.graph().index(&node.id) else {
                continue;
            };
            let name = node.boundary_name();
            if self.place.graph().shapes[index] == Shape::Input
                && !given.contains_key(name)
                && let Some(outcome) = self.outcome(index)
            {
                given.insert(name.to_owned(), (*outcome.value).clone());
            }
        }
        Value::Object(given)
    }

    fn count(&self, region: usize, name: &str) -> Option<Value> {
        let (path, index, _) = self.pass(region)?;
        Some(match name {
            "loopIndex" => index.into(),
            "loopCount" => (index + 1).into(),
            "loopResult" => match index.checked_sub(1) {
                None => Value::Null,
                Some(before) => {
                    let step = self.run.step(&path);
                    (*step
                        .scope
                        .as_ref()?
                        .iterations
                        .get(&before)?
                        .end
                        .as_ref()?
                        .result)
                        .clone()
                }
            },
            // The records do not say whether a step ran before or after the escalation.
            "loopEscalated" => return None,
            _ => timestamp(self.run.step(&path).started_at?).into(),
        })
    }

    fn loops(&self, uses: &[&Reference]) -> Value {
        let mut found = Map::new();
        for region in self.place.regions() {
            let id = self.id(self.place.all_regions().regions[region].start);
            if !uses
                .iter()
                .any(|reference| reference.path.first().is_some_and(|first| first == id))
            {
                continue;
            }
            let names = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];
            let counts: Map<String, Value> = names
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), self.count(region, name)?)))
                .collect();
            found.insert(id.to_owned(), Value::Object(counts));
        }
        Value::Object(found)
    }

    /// Computes the variables of a loop in the current iteration, because they are not recorded; `None` if the loop declares
    /// none, or if they cannot be computed. Starts with the initial values and proceeds iteration by iteration like the
    /// engine.
    fn vars(&self, region: usize) -> Option<Map<String, Value>> {
        if let Some((known, vars)) = &self.vars
            && *known == region
        {
            return Some(vars.clone());
        }
        let (_, index, _) = self.pass(region)?;
        if index > MOST_PASSES {
            return None;
        }
        let start = self.place.all_regions().regions[region].start;
        let list = self.place.flow().nodes[start]
            .data
            .get("variables")?
            .as_array()?;
        let mut vars = Map::new();
        for pass in 0..=index {
            let (field, at) = match pass.checked_sub(1) {
                None => ("initial", 0),
                Some(before) => ("next", before),
            };
            let mut view = self.at(region, at);
            view.vars = Some((region, vars.clone()));
            let mut next = vars.clone();
            for (number, variable) in list.iter().enumerate() {
                let Some(name) = variable.get("name").and_then(Value::as_str) else {
                    continue;
                };
                let value = match variable.get(field) {
                    // A variable without `next` is unchanged. A variable without `initial` is null in the first iteration.
                    None | Some(Value::Null) if pass > 0 => continue,
                    None => Value::Null,
                    Some(Value::String(source)) => {
                        view.render_at(start, &format!("variables[{number}].{field}"), source)?
                    }
                    Some(constant) => constant.clone(),
                };
                next.insert(name.to_owned(), value);
            }
            vars = next;
        }
        Some(vars)
    }

    /// Renders a template of another field in this view; `None` if that fails.
    fn render_at(&self, node: NodeIx, field: &str, source: &str) -> Option<Value> {
        let template = Template::parse(source).ok()?;
        self.place.beside(node, field, |place| {
            let view = View {
                run: self.run,
                place,
                fixed: self.fixed.clone(),
                vars: self.vars.clone(),
            };
            let names = view.names(template.references());
            template.render(&names).ok()
        })?
    }
}
