//! Positions the nodes of a flow that has no positions: layers from left to right, with each loop's region as one block. The
//! outline around a region thus contains only that region's nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use loopwright_model::{Flow, document::Position};
use serde_json::{Map, Number};

const WIDTH: i64 = 300;
const HEIGHT: i64 = 190;
/// The margin above, below and after a region, in canvas pixels.
const MARGIN: i64 = 50;

/// Each kind that opens a region, with the kind that closes it and the handles that lead into it.
const SCOPES: [(&str, &str, &[&str]); 2] = [
    ("loop", "exit", &["body"]),
    ("iterator", "aggregator", &["item", "index"]),
];

/// Returns the kind that closes a region opened by `kind`, and the handles that lead into it. Returns `None` if `kind` opens
/// no region.
fn scope(kind: &str) -> Option<(&'static str, &'static [&'static str])> {
    let (_, end, handles) = SCOPES.iter().find(|(opens, ..)| *opens == kind)?;
    Some((end, handles))
}

/// Positions all nodes if any node lacks a position.
pub(crate) fn place(flow: &mut Flow) {
    if flow.nodes.iter().all(|node| node.position.is_some()) {
        return;
    }
    let plan = Plan::new(flow);
    let all: BTreeSet<usize> = (0..flow.nodes.len()).collect();
    let placed = plan.block(&all, 0).nodes.into_iter();
    let places: HashMap<usize, (i64, i64)> = placed.map(|(x, y, node)| (node, (x, y))).collect();
    for (index, node) in flow.nodes.iter_mut().enumerate() {
        let (x, y) = places.get(&index).copied().unwrap_or_default();
        node.position = Some(Position {
            x: Number::from(x),
            y: Number::from(y),
            extra: Map::new(),
        });
    }
}

#[derive(Default)]
struct Region {
    end: Option<usize>,
    body: BTreeSet<usize>,
}

struct Plan<'f> {
    flow: &'f Flow,
    /// The wires as (source, target), without those to a `feedback` handle.
    wires: Vec<(usize, usize)>,
    /// The nodes that the start of a region leads to inside the region.
    begins: BTreeMap<usize, Vec<usize>>,
    /// The nodes that each node leads to. For the start of a region, only the nodes outside the region.
    after: Vec<Vec<usize>>,
    regions: BTreeMap<usize, Region>,
}

/// A group of nodes that is positioned as a whole, with its size.
struct Block {
    width: i64,
    height: i64,
    /// The nodes of the block as (x, y, node).
    nodes: Vec<(i64, i64, usize)>,
}

impl Block {
    fn of(node: usize) -> Self {
        Self {
            width: WIDTH,
            height: HEIGHT,
            nodes: vec![(0, 0, node)],
        }
    }

    /// Adds the nodes of `other`, shifted by this offset.
    fn put(&mut self, x: i64, y: i64, other: &Self) {
        let moved = other
            .nodes
            .iter()
            .map(|(dx, dy, node)| (x + dx, y + dy, *node));
        self.nodes.extend(moved);
    }
}

impl<'f> Plan<'f> {
    fn new(flow: &'f Flow) -> Self {
        let ids = flow.nodes.iter().map(|node| node.id.as_str());
        let at: HashMap<&str, usize> = ids.zip(0..).collect();
        let mut plan = Self {
            flow,
            wires: Vec::new(),
            begins: BTreeMap::new(),
            after: vec![Vec::new(); flow.nodes.len()],
            regions: BTreeMap::new(),
        };
        for edge in &flow.edges {
            let (Some(&source), Some(&target)) =
                (at.get(edge.source.as_str()), at.get(edge.target.as_str()))
            else {
                continue;
            };
            if edge.target_handle.as_deref() == Some("feedback") {
                continue;
            }
            plan.wires.push((source, target));
            let handle = edge.source_handle.as_deref();
            let within = scope(&flow.nodes[source].kind)
                .is_some_and(|(_, handles)| handle.is_none_or(|handle| handles.contains(&handle)));
            if within {
                plan.begins.entry(source).or_default().push(target);
            } else {
                plan.after[source].push(target);
            }
        }
        let starts: Vec<usize> = plan.begins.keys().copied().collect();
        for start in starts {
            plan.region(start);
        }
        plan
    }

    /// Finds the nodes in the region of `start`, inner regions first.
    fn region(&mut self, start: usize) {
        if self.regions.contains_key(&start) {
            return;
        }
        // The region is registered first, so that a loop that contains itself ends the recursion here.
        self.regions.insert(start, Region::default());
        let flow = self.flow;
        let closes = scope(&flow.nodes[start].kind).map(|(end, _)| end);
        let mut found = Region::default();
        let mut waiting: Vec<usize> = self.begins.get(&start).cloned().unwrap_or_default();
        while let Some(node) = waiting.pop() {
            if closes == Some(flow.nodes[node].kind.as_str()) {
                found.end = found.end.or(Some(node));
                continue;
            }
            if node == start || !found.body.insert(node) {
                continue;
            }
            if self.begins.contains_key(&node) {
                self.region(node);
                let inner = &self.regions[&node];
                found.body.extend(inner.body.iter().chain(&inner.end));
                if let Some(end) = inner.end {
                    waiting.extend(&self.after[end]);
                }
            }
            waiting.extend(&self.after[node]);
        }
        self.regions.insert(start, found);
    }

    /// Returns the block in which `members` are positioned. A region among them is one block together with its start and end.
    fn block(&self, members: &BTreeSet<usize>, depth: usize) -> Block {
        // The item of each member: itself, or the start of the region around it.
        let mut item_of: HashMap<usize, usize> = HashMap::new();
        let mut inner: BTreeMap<usize, Block> = BTreeMap::new();
        for (&start, region) in &self.regions {
            let taken = item_of.contains_key(&start);
            if taken || !members.contains(&start) || depth > 20 {
                continue;
            }
            let outermost = !self.regions.iter().any(|(other, around)| {
                *other != start && members.contains(other) && around.body.contains(&start)
            });
            if !outermost || region.body.is_empty() {
                continue;
            }
            for &node in region.body.iter().chain(&region.end).chain([&start]) {
                item_of.entry(node).or_insert(start);
            }
            let body = self.block(&region.body, depth + 1);
            inner.insert(start, framed(start, &body, region.end));
        }
        for &node in members {
            item_of.entry(node).or_insert(node);
        }
        let wires: Vec<(usize, usize)> = self
            .wires
            .iter()
            .filter_map(|(source, target)| Some((*item_of.get(source)?, *item_of.get(target)?)))
            .filter(|(source, target)| source != target)
            .collect();
        let items: BTreeSet<usize> = members.iter().map(|node| item_of[node]).collect();
        let layers = layers(&items, &wires);
        columns(&layers, inner)
    }
}

/// Returns the block of a region: its start, its body and its end in a row.
fn framed(start: usize, body: &Block, end: Option<usize>) -> Block {
    let height = body.height.max(HEIGHT);
    let beside = MARGIN + (height - HEIGHT) / 2;
    let mut framed = Block {
        width: WIDTH + body.width,
        height: height + 2 * MARGIN,
        nodes: vec![(0, beside, start)],
    };
    framed.put(WIDTH, MARGIN, body);
    if let Some(end) = end {
        framed.nodes.push((framed.width, beside, end));
        framed.width += WIDTH;
    }
    framed.width += MARGIN;
    framed
}

/// Groups items into layers. An item's layer is the length of the longest path to it (Kahn's algorithm, 1962). Items on a cycle
/// form the last layer.
fn layers(items: &BTreeSet<usize>, wires: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut waiting: BTreeMap<usize, usize> = items.iter().map(|item| (*item, 0)).collect();
    let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (source, target) in wires {
        *waiting.entry(*target).or_default() += 1;
        after.entry(*source).or_default().push(*target);
    }
    let mut ready: Vec<usize> = items
        .iter()
        .copied()
        .filter(|item| waiting[item] == 0)
        .collect();
    let mut layers = Vec::new();
    let mut placed = BTreeSet::new();
    while !ready.is_empty() {
        let mut next = BTreeSet::new();
        for item in &ready {
            placed.insert(*item);
            for target in after.get(item).into_iter().flatten() {
                if let Some(left) = waiting.get_mut(target) {
                    *left -= 1;
                    if *left == 0 {
                        next.insert(*target);
                    }
                }
            }
        }
        layers.push(ready);
        ready = next.into_iter().collect();
    }
    let stuck: Vec<usize> = items.difference(&placed).copied().collect();
    if !stuck.is_empty() {
        layers.push(stuck);
    }
    layers
}

/// Returns a block with the layers side by side, each centred vertically.
fn columns(layers: &[Vec<usize>], mut inner: BTreeMap<usize, Block>) -> Block {
    let mut block = |item: &usize| inner.remove(item).unwrap_or_else(|| Block::of(*item));
    let columns: Vec<Vec<Block>> = layers
        .iter()
        .map(|layer| layer.iter().map(&mut block).collect())
        .collect();
    let tall = |column: &Vec<Block>| column.iter().map(|block| block.height).sum::<i64>();
    let mut all = Block {
        width: 0,
        height: columns.iter().map(tall).max().unwrap_or(HEIGHT),
        nodes: Vec::new(),
    };
    for column in columns {
        let mut y = (all.height - tall(&column)) / 2;
        for block in &column {
            all.put(all.width, y, block);
            y += block.height;
        }
        all.width += column.iter().map(|block| block.width).max().unwrap_or(0);
    }
    all
}
