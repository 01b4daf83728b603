//! Random valid flows: nested loops, iterators and subflows with every exit condition and feedback mode, and with Routers,
//! Validators, Approvals, branches, joins, captures, tails, leaves, variables, extra outputs and retries.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError, Usage,
    host::{ModelContext, ModelReply, ModelRequest, Models},
};
use proptest::test_runner::Config as ProptestConfig;
use serde_json::{Value, json};

use crate::Sleep;

/// Returns the configuration of a property test: `cases` runs, or `PROPTEST_CASES` if set.
pub fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The choices that determine a flow, decoded from bytes. Fewer and smaller bytes yield a smaller flow.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    /// Returns a number below `count`.
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }
}

/// A node's handle that carries a value whenever the nodes of its scope run.
#[derive(Clone)]
struct From {
    node: String,
    handle: &'static str,
}

struct Builder<'a> {
    choices: Choices<'a>,
    nodes: Vec<Value>,
    edges: Vec<Value>,
    left: usize,
    fallible: bool,
}

/// The number of items in the lists of random flows.
pub const ITEMS: usize = 3;

/// Returns the flow that `bytes` determine. If `fallible` is true, loops of the flow may return on an error, and its models
/// may fail.
pub fn flow(bytes: &[u8], fallible: bool) -> Value {
    let mut builder = Builder {
        choices: Choices(bytes.iter()),
        nodes: Vec::new(),
        edges: Vec::new(),
        left: 14,
        fallible,
    };
    builder.begin();
    let begin = From {
        node: "text".to_owned(),
        handle: "value",
    };
    let last = builder.chain(begin, &[], 0);
    builder.node("out", "output", json!({ "name": "result" }));
    builder.edge(&last, "out", "value");
    json!({
        "schemaVersion": 1,
        "name": "random",
        "settings": { "allowNestedLoops": true, "concurrency": 1 + builder.choices.below(4) },
        "nodes": builder.nodes,
        "edges": builder.edges,
    })
}

impl Builder<'_> {
    /// Adds the nodes that every flow starts with.
    fn begin(&mut self) {
        self.node(
            "text",
            "input",
            json!({ "name": "text", "default": "begin" }),
        );
        let list: Vec<String> = (0..ITEMS).map(|item| format!("item {item}")).collect();
        self.node(
            "list",
            "input",
            json!({ "name": "list", "dataType": "json", "default": list }),
        );
    }

    fn node(&mut self, id: &str, kind: &str, data: Value) {
        self.nodes
            .push(json!({ "id": id, "type": kind, "data": data }));
    }

    fn edge(&mut self, from: &From, to: &str, handle: &str) {
        self.edges.push(json!({
            "id": format!("e{}", self.edges.len()),
            "source": from.node, "sourceHandle": from.handle, "target": to, "targetHandle": handle
        }));
    }

    fn id(&self, name: &str) -> String {
        format!("{name}_{}", self.nodes.len())
    }

    /// Adds a node that creates a short string from `from`, and possibly from another value in `reach`.
    fn step(&mut self, from: &From, reach: &[From]) -> From {
        let extra = (!reach.is_empty() && self.choices.chance(40))
            .then(|| reach[self.choices.below(reach.len())].clone());
        if self.choices.chance(40) {
            let id = self.id("ask");
            let mut data = json!({
                "prompt": format!("{id} {{{{ input }}}} {{{{ more | default(value='') }}}}"), "inputs": ["more"]
            });
            if self.choices.chance(20) {
                data["retry"] = json!({ "type": "fixed", "count": 1, "interval": "PT1S" });
            }
            self.node(&id, "llm", data);
            self.edge(from, &id, "prompt");
            if let Some(extra) = extra {
                self.edge(&extra, &id, "more");
            }
            return From {
                node: id,
                handle: "response",
            };
        }
        let id = self.id("step");
        let index = self.nodes.len();
        self.node(
            &id,
            "transform",
            json!({ "template": format!("t{index} {{{{ input | length }}}} {{{{ more | default(value='') | length }}}}"), "inputs": ["more"] }),
        );
        self.edge(from, &id, "input");
        if let Some(extra) = extra {
            self.edge(&extra, &id, "more");
        }
        From {
            node: id,
            handle: "output",
        }
    }

    /// Adds a chain of nodes after `begin`. The nodes may capture values of `outer`. Returns the last node.
    fn chain(&mut self, begin: From, outer: &[From], depth: usize) -> From {
        let mut last = begin.clone();
        let mut reach: Vec<From> = outer.to_vec();
        let count = 1 + self.choices.below(4);
        for _ in 0..count {
            let next = match self.choices.below(9) {
                4 => self.branches(&last, &reach),
                5 if depth < 3 && self.left > 0 => self.repeat(&last, &reach, depth),
                6 if depth < 3 && self.left > 0 => self.each(&last, &reach, depth),
                8 if depth < 3 && self.left > 0 => self.subflow(&last, depth),
                7 => {
                    // Adds a leaf, a node that no other node reads.
                    let leaf = self.step(&last, &reach);
                    if self.choices.chance(30) {
                        self.step(&leaf, &[]);
                    }
                    self.step(&last, &reach)
                }
                _ => self.step(&last, &reach),
            };
            reach.push(next.clone());
            last = next;
        }
        last
    }

    /// Adds a router with two branches that join again. Returns the handle after the join.
    fn branches(&mut self, from: &From, reach: &[From]) -> From {
        let id = self.id("route");
        let when = ["input | length > 8", "input | length is odd", "true"][self.choices.below(3)];
        self.node(
            &id,
            "router",
            json!({ "branches": [{ "name": "a", "when": when }, { "name": "b", "when": "true" }] }),
        );
        self.edge(from, &id, "input");
        let a = self.step(
            &From {
                node: id.clone(),
                handle: "a",
            },
            reach,
        );
        let b = if self.choices.chance(70) {
            self.step(
                &From {
                    node: id.clone(),
                    handle: "b",
                },
                reach,
            )
        } else {
            From {
                node: id,
                handle: "b",
            }
        };
        let join = self.id("join");
        self.node(&join, "transform", json!({ "template": "{{ input }}|" }));
        self.edge(&a, &join, "input");
        self.edge(&b, &join, "input");
        From {
            node: join,
            handle: "output",
        }
    }

    /// Adds a loop with its body, tail and Exit. Returns the handle of its result.
    fn repeat(&mut self, from: &From, reach: &[From], depth: usize) -> From {
        self.left -= 1;
        let start = self.id("loop");
        let place = self.nodes.len();
        self.node(&start, "loop", Value::Null);
        self.edge(from, &start, "input");
        let mut body = self.chain(
            From {
                node: start.clone(),
                handle: "body",
            },
            reach,
            depth + 1,
        );
        let has_vars = self.choices.chance(40);
        if has_vars {
            body = self.marked(&body);
        }
        let exit = self.id("exit");
        self.node(&exit, "exit", json!({}));
        let condition = self.choices.below(5);
        let most = 1 + self.choices.below(3);
        let mode = ["replace", "append", "variables"][self.choices.below(3)];
        let exit_condition = [
            "max_iterations",
            "evaluator",
            "stable_output",
            "condition",
            "score_plateau",
        ][condition];
        let mut data = json!({
            "maxIterations": most,
            "feedbackMode": mode,
            "exitCondition": exit_condition,
        });
        let mut feedback = body.clone();
        // A judge may also reject without an evaluator condition. The rejected value is then the result.
        if condition == 1 || self.choices.chance(15) {
            feedback = self.judged(&body, &exit);
        } else {
            self.edge(&body, &exit, "input");
        }
        if condition == 3 {
            let test = ["before", "after"][self.choices.below(2)];
            data["condition"] = match self.choices.below(4) {
                0 if has_vars => json!({ "while": "vars.n < 2", "test": test }),
                1 => json!({ "while": "loopCount < 3", "test": test }),
                2 => json!({ "until": "loopCount == 1", "test": test }),
                _ => json!({ "until": "loopCount > 2", "test": test }),
            };
        }
        if condition == 4 {
            data["score"] = json!("result | length");
            data["patience"] = json!(1 + self.choices.below(2));
        }
        if self.choices.chance(15) {
            data["minIterations"] = json!(1 + self.choices.below(3));
            data["patience"] = json!(1 + self.choices.below(2));
        }
        if has_vars {
            data["variables"] = json!([
                { "name": "n", "initial": 0, "next": "{{ vars.n + 1 }}" },
                { "name": "first", "initial": "{{ input }}" },
            ]);
        }
        match self.choices.below(4) {
            0 => {}
            1 => self.edge(&feedback, &start, "feedback"),
            tail => {
                let mut last = self.step(&feedback, &[]);
                if tail == 3 {
                    last = self.step(&last, &[]);
                }
                // Without this edge, the nodes do not lead to the Exit: they are the tail in evaluator mode, and leaves
                // otherwise.
                if self.choices.chance(75) {
                    self.edge(&last, &start, "feedback");
                }
            }
        }
        if self.choices.chance(20) {
            data["result"] = json!("best");
            data["score"] = json!("result | length");
        }
        if self.fallible && self.choices.chance(50) {
            data["onError"] = json!("return");
        }
        if self.choices.chance(15) {
            data["onLimit"] = json!(if self.fallible { "fail" } else { "return" });
        }
        if self.choices.chance(20) {
            data["delay"] = json!({ "type": "exponential", "interval": "PT1S" });
        }
        if self.fallible && self.choices.chance(20) {
            let limit = ["timeout", "iterationTimeout"][self.choices.below(2)];
            data["limits"] = json!({ limit: "PT1S" });
        }
        let tells = self.choices.chance(25);
        if tells {
            let take = ["last", "first", "all"][self.choices.below(3)];
            data["outputs"] = json!([{ "name": "seen", "from": "result", "take": take }]);
        }
        self.nodes[place]["data"] = data;
        let mut last = From {
            node: exit,
            handle: "output",
        };
        if self.choices.chance(20) {
            last = self.exhausted(&last);
        }
        if tells {
            last = self.told(&last, &start);
        }
        last
    }

    /// Adds a node to a loop's body that reads the loop's variables.
    fn marked(&mut self, body: &From) -> From {
        let mark = self.id("mark");
        let template = format!(
            "{{{{ input | length }}}}v{{{{ vars.n }}}}i{{{{ loopIndex }}}}{{{{ vars.first | str | length }}}}p{{{{ previous.{mark} | default(value='') | length }}}}"
        );
        self.node(&mark, "transform", json!({ "template": template }));
        self.edge(body, &mark, "input");
        From {
            node: mark,
            handle: "output",
        }
    }

    /// Adds a judge before the Exit: a Router with one or two outputs, a Validator or an Approval. Returns its rejecting handle.
    fn judged(&mut self, body: &From, exit: &str) -> From {
        let judge = self.id("judge");
        let when = ["loopCount >= 2", "input | length is odd", "false"][self.choices.below(3)];
        let (kind, data, out, away) = match self.choices.below(5) {
            0 => (
                "validator",
                json!({ "rules": [{ "when": when, "message": "no" }] }),
                vec!["valid"],
                "invalid",
            ),
            1 => (
                "approval",
                json!({ "message": "Good?" }),
                vec!["approved"],
                "rejected",
            ),
            2 => (
                "router",
                json!({ "branches": [
                    { "name": "done", "when": when },
                    { "name": "long", "when": "input | length > 9" },
                    { "name": "again", "when": "true" },
                ] }),
                vec!["done", "long"],
                "again",
            ),
            _ => (
                "router",
                json!({ "branches": [{ "name": "done", "when": when }, { "name": "again", "when": "true" }] }),
                vec!["done"],
                "again",
            ),
        };
        self.node(&judge, kind, data);
        self.edge(body, &judge, "input");
        for handle in out {
            let way = From {
                node: judge.clone(),
                handle,
            };
            self.edge(&way, exit, "input");
        }
        From {
            node: judge,
            handle: away,
        }
    }

    /// Routes the output of an exhausted loop through another node, and joins both paths.
    fn exhausted(&mut self, output: &From) -> From {
        let late = From {
            node: output.node.clone(),
            handle: "exhausted",
        };
        let late = self.step(&late, &[]);
        let join = self.id("join");
        self.node(&join, "transform", json!({ "template": "{{ input }}!" }));
        self.edge(output, &join, "input");
        self.edge(&late, &join, "input");
        From {
            node: join,
            handle: "output",
        }
    }

    /// Adds a node that reads the loop's own outputs.
    fn told(&mut self, last: &From, start: &str) -> From {
        let tell = self.id("tell");
        let names = ["count", "exitReason", "seen", "iterations"];
        self.node(
            &tell,
            "transform",
            json!({ "inputs": names, "template": "{{ input }}{{ count }}{{ exitReason }}{{ seen | json | length }}{{ iterations | length }}" }),
        );
        self.edge(last, &tell, "input");
        for handle in names {
            let own = From {
                node: start.to_owned(),
                handle,
            };
            self.edge(&own, &tell, handle);
        }
        From {
            node: tell,
            handle: "output",
        }
    }

    /// Adds a subflow with inputs and an output, as one node.
    fn subflow(&mut self, from: &From, depth: usize) -> From {
        self.left -= 1;
        let (nodes, edges) = (
            std::mem::take(&mut self.nodes),
            std::mem::take(&mut self.edges),
        );
        self.begin();
        let begin = From {
            node: "text".to_owned(),
            handle: "value",
        };
        let last = self.chain(begin, &[], depth + 1);
        self.node("out", "output", json!({ "name": "result" }));
        self.edge(&last, "out", "value");
        let inner = json!({
            "nodes": std::mem::replace(&mut self.nodes, nodes),
            "edges": std::mem::replace(&mut self.edges, edges),
            "settings": { "allowNestedLoops": true },
        });
        let id = self.id("sub");
        let mut data = json!({ "flow": inner });
        if self.choices.chance(20) {
            data["retry"] = json!({ "type": "fixed", "count": 2, "on": ["refused"] });
        }
        if self.fallible && self.choices.chance(20) {
            data["timeout"] = json!("PT0.4S");
        }
        self.node(&id, "subflow", data);
        self.edge(from, &id, "text");
        From {
            node: id,
            handle: "result",
        }
    }

    /// Adds an iterator over a list, with its body and Aggregator. Returns the handle of its result.
    fn each(&mut self, from: &From, reach: &[From], depth: usize) -> From {
        self.left -= 1;
        // The node receives the list in addition to the input that determines the iterator's position in the flow.
        let items = self.id("items");
        self.node(
            &items,
            "transform",
            json!({ "inputs": ["list"], "template": "{{ list }}" }),
        );
        self.edge(from, &items, "input");
        self.edge(
            &From {
                node: "list".to_owned(),
                handle: "value",
            },
            &items,
            "list",
        );
        let start = self.id("each");
        let at_once = 1 + self.choices.below(3);
        let on_error = if self.fallible {
            ["fail", "skip", "collect"][self.choices.below(3)]
        } else {
            "fail"
        };
        self.node(
            &start,
            "iterator",
            json!({ "concurrency": at_once, "onError": on_error }),
        );
        self.edge(
            &From {
                node: items,
                handle: "output",
            },
            &start,
            "items",
        );
        let last = self.chain(
            From {
                node: start,
                handle: "item",
            },
            reach,
            depth + 1,
        );
        let end = self.id("gather");
        self.node(
            &end,
            "aggregator",
            json!({ "mode": "concat", "separator": "," }),
        );
        self.edge(&last, &end, "input");
        From {
            node: end,
            handle: "results",
        }
    }
}

/// A model that answers each prompt with a short string after a pause. Both are derived from the prompt. Calls with some
/// prompts fail.
pub struct Echo {
    pub fails: bool,
    pub seed: u64,
    sleep: Sleep,
}

impl Echo {
    pub fn models(fails: bool, seed: u64, sleep: Sleep) -> Arc<dyn Models> {
        Arc::new(Self { fails, seed, sleep })
    }
}

fn fnv(text: &str, seed: u64) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

impl Models for Echo {
    fn call(
        &self,
        request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let hash = fnv(&request.prompt, 0);
        let pause = fnv(&request.prompt, self.seed) % 500;
        let fails = self.fails && (hash >> 7).is_multiple_of(6);
        let pause = (self.sleep)(Duration::from_millis(pause));
        Box::pin(async move {
            pause.await;
            if fails {
                return Err(NodeError::new("refused", "No."));
            }
            Ok(ModelReply {
                text: format!("r{}", "x".repeat((hash % 9) as usize)),
                usage: Usage {
                    calls: 1,
                    input_tokens: hash % 50,
                    output_tokens: 1,
                    cost_microusd: hash % 7,
                    ..Usage::default()
                },
                model: "echo".to_owned(),
                ..ModelReply::default()
            })
        })
    }
}
