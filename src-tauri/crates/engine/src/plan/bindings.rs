//! Resolves the names in templates to the sources of their values. This happens once for each plan, so that an execution only
//! fetches the values.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_model::{
    Node,
    graph::{EXHAUSTED, NodeIx},
};
use loopwright_template::{Reference, Template};

use crate::{kind::KindSet, outcome::NodeError, reading::Read};

use super::{
    Binding, Bound, GraphIx, PlanGraph, Repeat, Slot,
    binding::{LoopName, NodeRef},
    planner::Planner,
    repeat::ResourceConfig,
    spec,
};

/// The loop's output handle for the results of all iterations.
const ITERATIONS: &str = "iterations";

/// Returns the names that a node's templates and expressions use. Templates that do not parse are skipped, because validation
/// has already reported them.
///
/// # Errors
/// Returns an error if a script cannot be analysed now. Without the script's names, the node would not receive the values that
/// it reads.
pub(super) fn references(node: &Node, kinds: &KindSet) -> Result<Vec<Reference>, NodeError> {
    let Some(kind) = spec(kinds, node) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for site in kind.templates(&node.data) {
        match site.references() {
            Ok(references) => found.extend(references),
            Err(error) if error.is_unread() => {
                return Err(NodeError::new(
                    error.code,
                    format!("\"{}\" has a script. {error}", node.title()),
                ));
            }
            Err(_) => {}
        }
    }
    let looks_back = kind.looks_back(&node.data).iter();
    found.extend(looks_back.map(|handle| Reference {
        root: "previous".into(),
        path: vec![node.id.clone(), (*handle).to_owned()],
        has_default: true,
    }));
    Ok(found)
}

/// Returns the fields of the current iteration that `references` read from a resource. A reference to the whole resource reads
/// all of these fields.
fn of_iteration(resource: &ResourceConfig, references: &[&Reference]) -> Vec<Arc<str>> {
    let paths: Vec<&[String]> = references
        .iter()
        .filter(|reference| reference.root == *resource.kind)
        .map(|reference| reference.path.as_slice())
        .collect();
    let is_read = |field: &String| {
        let reads = |path: &&[String]| path.first().is_none_or(|first| first == field);
        paths.iter().any(reads)
    };
    let fields = resource.of_iteration.keys();
    fields
        .filter(|field| is_read(field))
        .map(|field| Arc::from(field.as_str()))
        .collect()
}

impl Planner<'_> {
    /// Returns the bindings of a node's own templates.
    pub(super) fn bindings(
        &self,
        node: NodeIx,
        graphs: &[PlanGraph],
        slots: &[Slot],
    ) -> Vec<Binding> {
        // The templates of a scope start (conditions, variables) use names of its body. `bind_loops` binds them.
        if self.graph.is_start(node) {
            return Vec::new();
        }
        let references = &self.references[node];
        let handles: Vec<String> = self.graph.handles[node]
            .inputs
            .iter()
            .map(|handle| handle.name.clone())
            .collect();
        // The end of a list runs in the graph around its scope, and uses that graph's names.
        let graph = self.graph_of(node);
        self.bind(graph, Some(&handles), references, graphs, slots)
    }

    /// Binds the loops' own expressions. Marks the results that must be kept because templates read earlier iterations.
    pub(super) fn bind_loops(&self, graphs: &mut [PlanGraph], slots: &[Slot]) {
        let all: Vec<&Reference> = self.references.iter().flatten().collect();
        let reads_previous = all.iter().any(|reference| reference.root == "previous");
        for (index, region) in self.regions.regions.iter().enumerate() {
            let graph = index + 1;
            let start = &self.flow.nodes[region.start];
            graphs[graph].reads_previous = reads_previous;
            let read_by_name = |reference: &Reference| {
                (reference.root == start.id
                    && reference
                        .path
                        .first()
                        .is_some_and(|name| name == ITERATIONS))
                    || (reference.root == "nodes"
                        && reference.path.first() == Some(&start.id)
                        && reference.path.get(1).is_some_and(|name| name == ITERATIONS))
            };
            let wired = |node: NodeIx, handle: &str| {
                self.graph
                    .successors(node)
                    .any(|(edge, _)| &*self.leaving_handle(edge, node) == handle)
            };
            graphs[graph].keeps_results = wired(region.start, ITERATIONS)
                || all.iter().any(|reference| read_by_name(reference));
            graphs[graph].exhausted_wired = region.end.is_some_and(|end| wired(end, EXHAUSTED));
            let Some(Repeat::Loop(config)) = &graphs[graph].repeat else {
                continue;
            };
            let reads_of_resource = config
                .resource
                .as_ref()
                .map_or_else(Vec::new, |resource| of_iteration(resource, &all));
            let bind = |references: &[Reference]| self.bind(graph, None, references, graphs, slots);
            let condition = config.condition().map_or_else(Vec::new, |condition| {
                bind(condition.expression.references())
            });
            let score = config
                .score
                .as_ref()
                .map_or_else(Vec::new, |score| bind(score.references()));
            let summary = config
                .keep
                .as_ref()
                .and_then(|keep| keep.summary.as_ref())
                .map_or_else(Vec::new, |summary| bind(summary.references()));
            let of = |template: &Option<Template>| {
                template
                    .as_ref()
                    .map_or_else(Vec::new, |template| bind(template.references()))
            };
            let initial = config
                .variables
                .iter()
                .map(|variable| of(&variable.initial))
                .collect();
            let next = config
                .variables
                .iter()
                .map(|variable| of(&variable.next))
                .collect();
            let outputs = config
                .outputs
                .iter()
                .map(|output| bind(output.from.references()))
                .collect();
            graphs[graph].condition_bindings = condition;
            graphs[graph].score_bindings = score;
            graphs[graph].initial_bindings = initial;
            graphs[graph].next_bindings = next;
            graphs[graph].summary_bindings = summary;
            graphs[graph].output_bindings = outputs;
            graphs[graph].reads_of_resource = reads_of_resource.into();
        }
    }

    /// Resolves `references` in `graph`. `handles` are the input handles of the node, or `None` for the expressions of the loop
    /// itself. An unknown name gets no binding, and rendering reports it.
    fn bind(
        &self,
        graph: GraphIx,
        handles: Option<&[String]>,
        references: &[Reference],
        graphs: &[PlanGraph],
        slots: &[Slot],
    ) -> Vec<Binding> {
        let mut grouped: BTreeMap<&str, Vec<&Reference>> = BTreeMap::new();
        for reference in references {
            grouped.entry(&reference.root).or_default().push(reference);
        }
        grouped
            .into_iter()
            .filter_map(|(root, uses)| {
                Some(Binding {
                    root: root.into(),
                    bound: self.resolve(graph, handles, root, &uses, graphs, slots)?,
                })
            })
            .collect()
    }

    fn resolve(
        &self,
        graph: GraphIx,
        handles: Option<&[String]>,
        root: &str,
        uses: &[&Reference],
        graphs: &[PlanGraph],
        slots: &[Slot],
    ) -> Option<Bound> {
        let first_segments = || {
            let mut segments: Vec<String> = uses
                .iter()
                .filter_map(|reference| reference.path.first().cloned())
                .collect();
            segments.sort();
            segments.dedup();
            segments
        };
        let nearest_loop = self.around(graph, |region| !self.is_list(region)).next();
        let nearest_list = self.around(graph, |region| self.is_list(region)).next();
        match root {
            "input" => return Some(Bound::PrimaryInput),
            "inputs" => {
                let all = uses.iter().any(|reference| reference.path.is_empty());
                return Some(Bound::Inputs(if all {
                    Vec::new()
                } else {
                    first_segments()
                }));
            }
            "run" => return Some(Bound::Run),
            "result" if handles.is_none() => return Some(Bound::Result),
            "vars" => return nearest_loop.map(|(up, _)| Bound::Vars { up }),
            "previous" => {
                let (up, region) = nearest_loop?;
                let nodes = first_segments()
                    .into_iter()
                    .filter_map(|id| {
                        let node = self.graph.index(&id)?;
                        let read = Read::of(
                            uses.iter()
                                .filter_map(|reference| reference.path.split_first())
                                .filter(|(first, _)| **first == id)
                                .map(|(_, rest)| rest),
                        );
                        (self.graph_of(node) == region + 1).then(|| (id, slots[node], read))
                    })
                    .collect();
                return Some(Bound::Previous { up, nodes });
            }
            "nodes" => {
                let mut by_id: BTreeMap<String, Vec<Reference>> = BTreeMap::new();
                for reference in uses {
                    if let Some((id, rest)) = reference.path.split_first() {
                        by_id.entry(id.clone()).or_default().push(Reference {
                            path: rest.to_vec(),
                            ..(*reference).clone()
                        });
                    }
                }
                let entries = by_id
                    .into_iter()
                    .filter_map(|(id, uses)| {
                        let uses: Vec<&Reference> = uses.iter().collect();
                        let node = self.node_ref(graph, &id, &uses, slots)?;
                        Some((id, node))
                    })
                    .collect();
                return Some(Bound::Nodes(entries));
            }
            "loops" => {
                let entries = first_segments()
                    .into_iter()
                    .filter_map(|id| Some((id.clone(), self.level_of_loop(graph, &id)?)))
                    .collect();
                return Some(Bound::Loops(entries));
            }
            "item" => {
                if let Some((up, _)) = nearest_list {
                    return Some(Bound::Item { up });
                }
            }
            "index" => {
                if let Some((up, _)) = nearest_list {
                    return Some(Bound::Index { up });
                }
            }
            _ => {}
        }
        if let (Some(what), Some((up, _))) = (LoopName::parse(root), nearest_loop) {
            return Some(Bound::Loop { up, what });
        }
        if handles.is_some_and(|handles| handles.iter().any(|handle| handle == root)) {
            return Some(Bound::Handle(root.to_owned()));
        }
        for (up, region) in self.around(graph, |region| !self.is_list(region)) {
            if let Some(Repeat::Loop(config)) = &graphs[region + 1].repeat
                && config.input_name.as_deref() == Some(root)
            {
                return Some(Bound::Loop {
                    up,
                    what: LoopName::Input,
                });
            }
        }
        for (up, region) in self.around(graph, |region| !self.is_list(region)) {
            if let Some(Repeat::Loop(config)) = &graphs[region + 1].repeat
                && config
                    .resource
                    .as_ref()
                    .is_some_and(|resource| *resource.kind == *root)
            {
                return Some(Bound::Loop {
                    up,
                    what: LoopName::Resource,
                });
            }
        }
        if let Some((id, name)) = root.rsplit_once('_')
            && let (Some(what), Some(up)) = (LoopName::parse(name), self.level_of_loop(graph, id))
        {
            return Some(Bound::Loop { up, what });
        }
        self.node_ref(graph, root, uses, slots).map(Bound::Node)
    }

    fn node_ref(
        &self,
        graph: GraphIx,
        id: &str,
        uses: &[&Reference],
        slots: &[Slot],
    ) -> Option<NodeRef> {
        let node = self.graph.index(id)?;
        Some(NodeRef {
            source: self.source(graph, node, Arc::from("output"), slots)?,
            read: Read::of(uses.iter().map(|reference| reference.path.as_slice())),
        })
    }

    /// Returns the regions around `graph` for which `wanted` is true, innermost first. Each comes with the number of levels
    /// between it and `graph`.
    fn around(
        &self,
        graph: GraphIx,
        wanted: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = (usize, usize)> {
        let first = graph.checked_sub(1);
        std::iter::successors(first, |&region| self.regions.regions[region].parent)
            .enumerate()
            .filter(move |&(_, region)| wanted(region))
    }

    fn is_list(&self, region: usize) -> bool {
        self.regions.regions[region].repeats == loopwright_model::Repetition::Each
    }

    fn level_of_loop(&self, graph: GraphIx, id: &str) -> Option<usize> {
        self.around(graph, |region| {
            !self.is_list(region) && self.flow.nodes[self.regions.regions[region].start].id == id
        })
        .next()
        .map(|(up, _)| up)
    }
}
