//! Places for nodes that have none: layers from left to right, each loop's region a block of its own, so that the outline
//! around a region holds its nodes and no others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use loopwright_model::{
    Flow,
    document::{Edge, Position},
};
use serde_json::{Map, Number};

const WIDTH: i64 = 300;
const HEIGHT: i64 = 190;
/// Space that a region keeps around itself.
const MARGIN: i64 = 50;

/// The kinds that open a region, by the kind that closes it and the handles behind which it begins.
const SCOPES: [(&str, &str, &[&str]); 2] = [
    ("loop", "exit", &["body"]),
    ("iterator", "aggregator", &["item", "index"]),
];

/// Gives every node a place when one has none. Places that all nodes have are kept.
pub(crate) fn place(flow: &mut Flow) {
    if flow.nodes.iter().all(|node| node.position.is_some()) {
        return;
    }
    let plan = Plan::new(flow);
    let all: BTreeSet<usize> = (0..flow.nodes.len()).collect();
    let mut places = HashMap::new();
    let block = plan.block(&all, 0);
    block.put(0, 0, &mut places);
    for (index, node) in flow.nodes.iter_mut().enumerate() {
        let (x, y) = places.get(&index).copied().unwrap_or_default();
        node.position = Some(Position {
            x: Number::from(x),
            y: Number::from(y),
            extra: Map::new(),
        });
    }
}

struct Region {
    end: Option<usize>,
    body: BTreeSet<usize>,
}

struct Plan {
    /// Wires but those to a `feedback` handle: source, target.
    wires: Vec<(usize, usize)>,
    regions: BTreeMap<usize, Region>,
}

/// Something that is placed as a whole, with its size.
struct Block {
    width: i64,
    height: i64,
    inside: Inside,
}

enum Inside {
    Node(usize),
    Blocks(Vec<(i64, i64, Block)>),
}

impl Block {
    fn put(&self, x: i64, y: i64, places: &mut HashMap<usize, (i64, i64)>) {
        match &self.inside {
            Inside::Node(node) => {
                places.insert(*node, (x, y));
            }
            Inside::Blocks(blocks) => {
                for (dx, dy, block) in blocks {
                    block.put(x + dx, y + dy, places);
                }
            }
        }
    }
}

impl Plan {
    fn new(flow: &Flow) -> Self {
        let at: HashMap<&str, usize> = flow
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (node.id.as_str(), index))
            .collect();
        let ends = |edge: &Edge| {
            Some((
                *at.get(edge.source.as_str())?,
                *at.get(edge.target.as_str())?,
            ))
        };
        let mut wires = Vec::new();
        let mut begins: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); flow.nodes.len()];
        for edge in &flow.edges {
            let Some((source, target)) = ends(edge) else {
                continue;
            };
            if edge.target_handle.as_deref() == Some("feedback") {
                continue;
            }
            wires.push((source, target));
            let handles = SCOPES
                .iter()
                .find(|(kind, ..)| flow.nodes[source].kind == *kind)
                .map(|(_, _, handles)| *handles);
            let within = handles.is_some_and(|handles| {
                edge.source_handle
                    .as_deref()
                    .is_none_or(|handle| handles.contains(&handle))
            });
            if within {
                begins.entry(source).or_default().push(target);
            } else {
                after[source].push(target);
            }
        }
        let mut plan = Self {
            wires,
            regions: BTreeMap::new(),
        };
        let starts: Vec<usize> = begins.keys().copied().collect();
        for start in starts {
            plan.region(flow, start, &begins, &after);
        }
        plan
    }

    /// Finds the region of `start`, inner ones first.
    fn region(
        &mut self,
        flow: &Flow,
        start: usize,
        begins: &BTreeMap<usize, Vec<usize>>,
        after: &[Vec<usize>],
    ) {
        if self.regions.contains_key(&start) {
            return;
        }
        // Held first, so that a loop within itself ends here.
        self.regions.insert(
            start,
            Region {
                end: None,
                body: BTreeSet::new(),
            },
        );
        let closes = SCOPES
            .iter()
            .find(|(kind, ..)| flow.nodes[start].kind == *kind)
            .map(|(_, end, _)| *end);
        let mut body = BTreeSet::new();
        let mut end = None;
        let mut waiting: Vec<usize> = begins.get(&start).cloned().unwrap_or_default();
        while let Some(node) = waiting.pop() {
            if closes == Some(flow.nodes[node].kind.as_str()) {
                end = end.or(Some(node));
                continue;
            }
            if node == start || !body.insert(node) {
                continue;
            }
            if begins.contains_key(&node) {
                self.region(flow, node, begins, after);
                let inner = &self.regions[&node];
                body.extend(inner.body.iter().copied());
                if let Some(inner_end) = inner.end {
                    body.insert(inner_end);
                    waiting.extend(after[inner_end].iter().copied());
                }
            }
            waiting.extend(after[node].iter().copied());
        }
        self.regions.insert(start, Region { end, body });
    }

    /// Places `members`; a region among them is one block, its start and end beside it.
    fn block(&self, members: &BTreeSet<usize>, depth: usize) -> Block {
        // Which item each member belongs to: itself, or the region's start around it.
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
            for &node in region
                .body
                .iter()
                .chain(region.end.as_ref())
                .chain([&start])
            {
                item_of.entry(node).or_insert(start);
            }
            let body = self.block(&region.body, depth + 1);
            inner.insert(start, framed(start, body, region.end));
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

/// A region: its start, its body, its end, in a row.
fn framed(start: usize, body: Block, end: Option<usize>) -> Block {
    let middle = |height: i64| (body_height(&body) - height) / 2;
    let mut blocks = vec![(0, MARGIN + middle(HEIGHT), node(start))];
    let mut width = WIDTH;
    let height = body_height(&body) + 2 * MARGIN;
    let body_width = body.width;
    let at_end = MARGIN + middle(HEIGHT);
    blocks.push((width, MARGIN, body));
    width += body_width;
    if let Some(end) = end {
        blocks.push((width, at_end, node(end)));
        width += WIDTH;
    }
    Block {
        width: width + MARGIN,
        height,
        inside: Inside::Blocks(blocks),
    }
}

fn body_height(body: &Block) -> i64 {
    body.height.max(HEIGHT)
}

fn node(index: usize) -> Block {
    Block {
        width: WIDTH,
        height: HEIGHT,
        inside: Inside::Node(index),
    }
}

/// Layers by the longest way to each item (Kahn 1962); what lies on a cycle comes last.
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
    let stuck: Vec<usize> = items
        .iter()
        .copied()
        .filter(|item| !placed.contains(item))
        .collect();
    if !stuck.is_empty() {
        layers.push(stuck);
    }
    layers
}

/// Layers side by side, each centred.
fn columns(layers: &[Vec<usize>], mut inner: BTreeMap<usize, Block>) -> Block {
    let columns: Vec<Vec<Block>> = layers
        .iter()
        .map(|layer| {
            layer
                .iter()
                .map(|item| inner.remove(item).unwrap_or_else(|| node(*item)))
                .collect()
        })
        .collect();
    let tall = |column: &Vec<Block>| column.iter().map(|block| block.height).sum::<i64>();
    let height = columns.iter().map(tall).max().unwrap_or(HEIGHT);
    let mut blocks = Vec::new();
    let mut x = 0;
    for column in columns {
        let mut y = (height - tall(&column)) / 2;
        let width = column.iter().map(|block| block.width).max().unwrap_or(0);
        for block in column {
            let next = y + block.height;
            blocks.push((x, y, block));
            y = next;
        }
        x += width;
    }
    Block {
        width: x,
        height,
        inside: Inside::Blocks(blocks),
    }
}
