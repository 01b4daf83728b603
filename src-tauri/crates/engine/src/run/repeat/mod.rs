//! Loops: iterations run one after another until the exit condition is met, the loop is exhausted, or something fails.

mod appended;
mod end;
mod ending;
mod evaluate;
pub(super) mod machine;
mod measure;
mod next;
mod progress;
mod results;
mod words;

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Pending, Run,
    arena::{FrameId, ScopeId},
    breakpoints::Stopped,
    impossible::{Impossible, ScopeKind, Stepped},
    loop_resource::LoopResource,
    nodes::Nodes,
    scope::Scope,
    tree::{NewFrame, Tree},
};
use crate::{
    journal::Fact,
    kind::Inputs,
    plan::{GraphIx, LoopConfig, Repeat, Slot},
};
use ending::{Ending, Obstacle};
use machine::{LoopMachine, LoopPlace};

impl Run {
    /// Starts a loop or a list.
    pub(super) fn start_scope(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        end: NodeIx,
        input: Arc<Value>,
        inputs: Inputs,
    ) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let (node, path) = self.tree.locate((frame, slot))?;
        let end = plan.nodes[end].slot;
        let max_iterations = match &plan.graphs[graph].repeat {
            Some(Repeat::Loop(config)) => Some(config.max_iterations),
            _ => None,
        };
        let started = self.tree.started(node, &inputs, max_iterations);
        self.out.record(path, Some(node), started);
        match &plan.graphs[graph].repeat {
            Some(Repeat::Loop(config)) => {
                let place = LoopPlace {
                    at: (frame, slot),
                    graph,
                    end,
                    keeps_results: plan.graphs[graph].keeps_results,
                    exhausted_wired: plan.graphs[graph].exhausted_wired,
                };
                self.start_loop(place, Arc::clone(config), input)
            }
            Some(Repeat::List(config)) => {
                self.start_list((frame, slot), graph, end, *config, input)
            }
            Some(Repeat::Subflow(_)) | None => Err(Impossible::NoSettings(ScopeKind::Any)),
        }
    }

    fn start_loop(
        &mut self,
        place: LoopPlace,
        config: Arc<LoopConfig>,
        input: Arc<Value>,
    ) -> Stepped {
        let place_frame = place.at.0;
        let node = self.tree.node_at(place_frame, place.at.1)?;
        let (now, wall) = (self.clock.now, self.clock.wall());
        let looping = LoopMachine::new(place, Arc::clone(&config), Arc::clone(&input), now, wall);
        let scope = self.tree.open_scope(Scope::Loop(looping))?;
        if let Some(after) = config.timeout_ms {
            let timer = self.out.timer(Pending::LoopTimeout { scope }, after);
            self.tree.looping_mut(scope)?.timeout = Some(timer);
        }
        if let Some(requested) = &config.requested {
            let plan = &self.tree.plan;
            let title = &plan.nodes[node].title;
            let message = words::clamped(title, requested, config.max_iterations);
            self.out.warn(plan, "max_iterations_clamped", node, message);
        }
        if let Some(resource) = &config.resource
            && !config.has_no_time()
        {
            let graph = self.tree.looping(scope)?.place.graph;
            let reads = &self.tree.plan.graphs[graph].reads_of_resource;
            let resource = LoopResource::new(resource, reads);
            let path = self.tree.path(place_frame, node)?;
            resource.request_opening(&mut self.out, path, node);
            return self.tree.looping_mut(scope)?.open(resource, input);
        }
        self.begin_iteration(scope, input)
    }

    /// Begins an iteration with the input `input`, unless the loop pauses, stops at a breakpoint or ends first.
    pub(super) fn begin_iteration(&mut self, scope: ScopeId, input: Arc<Value>) -> Stepped {
        let looping = self.tree.looping(scope)?;
        let (at, index) = (looping.place.at, looping.finished());
        let config = Arc::clone(&looping.config);
        if self.clock.has_computed_much() {
            // A pause of zero lets other inputs be processed before the iteration begins.
            return self.nodes().pause_loop(scope, 0, input);
        }
        let (node, path) = self.tree.locate(at)?;
        if let Some(path) = self.breakpoints.iteration(&path, index) {
            return self.stop_at(&path, Stopped::Iteration(scope, input));
        }
        // Variables and conditions are evaluated in the frame of the iteration, so the frame is opened before the loop decides
        // whether the iteration begins.
        let frame = self
            .tree
            .open_iteration(scope, &path, Arc::clone(&input), self.clock.now)?;
        if let Some(obstacle) = self.nodes().prepare_iteration(scope, frame, &input)? {
            self.tree.give_up_iteration(scope)?;
            return match obstacle {
                Obstacle::Ends(ending) => self.end_loop(scope, ending),
                Obstacle::Fails(error) => self.loop_failed(scope, *error, None),
            };
        }
        let started = Fact::IterationStarted {
            index,
            total: Some(config.max_iterations),
            input,
        };
        self.out.record(path, Some(node), started);
        if let Some(resource) = &mut self.tree.looping_mut(scope)?.resource {
            resource.iteration_begins();
        }
        if let Some(after) = config.iteration_timeout_ms {
            let pending = Pending::IterationTimeout { scope, index };
            let timer = self.out.timer(pending, after);
            self.tree.looping_mut(scope)?.iteration_timeout = Some(timer);
        }
        self.schedule.begin(&mut self.tree, frame)
    }
}

impl Nodes<'_> {
    /// Begins a pause, after which the next iteration begins with the input `input`.
    fn pause_loop(&mut self, scope: ScopeId, after_ms: u64, input: Arc<Value>) -> Stepped {
        let timer = self.out.timer(Pending::Delay { scope }, after_ms);
        self.tree.looping_mut(scope)?.pause(timer, input)
    }

    /// Sets the loop's variables for its first iteration. Returns the obstacle if the iteration, whose frame is already
    /// open, must not begin. Returns `None` if it may begin.
    fn prepare_iteration(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        input: &Arc<Value>,
    ) -> Stepped<Option<Obstacle>> {
        let looping = self.tree.looping(scope)?;
        let (at, index) = (looping.place.at, looping.finished());
        let config = Arc::clone(&looping.config);
        if index == 0 {
            match self.reader().first_vars(frame, &config) {
                Ok(vars) => self.tree.looping_mut(scope)?.set_vars(vars),
                Err(error) => return Ok(Some(Obstacle::Fails(Box::new(error)))),
            }
        }
        // A condition that is tested before an iteration reads the input of that iteration. If the condition is met, the
        // iteration does not begin.
        if let Some(condition) = config.condition_before() {
            let reader = self.reader();
            let met = match reader.condition_holds(scope, frame, condition, input) {
                Ok(holds) => holds && index + 1 >= config.min_iterations,
                Err(error) => return Ok(Some(Obstacle::Fails(Box::new(error)))),
            };
            let (node, path) = self.tree.locate(at)?;
            let checked = Fact::ConditionChecked { index, result: met };
            self.out.record(path, Some(node), checked);
            if met {
                return Ok(Some(Obstacle::Ends(Ending::Met(config.exit.reason()))));
            }
        }
        let limit = self.tree.looping(scope)?.limit_before_iteration();
        Ok(limit.map(|limit| Obstacle::Ends(Ending::Exhausted(limit))))
    }
}

impl Tree {
    /// Opens the frame of the next iteration of the loop at `path`.
    fn open_iteration(
        &mut self,
        scope: ScopeId,
        path: &str,
        input: Arc<Value>,
        now: i64,
    ) -> Stepped<FrameId> {
        let looping = self.looping(scope)?;
        let (at, index) = (looping.place.at, looping.finished());
        let new = NewFrame {
            graph: looping.place.graph,
            owner: Some((at, scope)),
            prefix: [path, "[", &(index + 1).to_string(), "]/"].concat(),
            input,
            index,
            given: self.given(at.0)?,
        };
        let frame = self.open_frame(new, now);
        self.looping_mut(scope)?.begin(frame)?;
        Ok(frame)
    }

    /// Removes an iteration that was opened but never begins.
    fn give_up_iteration(&mut self, scope: ScopeId) -> Stepped {
        let frame = self.looping_mut(scope)?.give_up()?;
        self.frames.remove(frame);
        Ok(())
    }
}
