//! Resolves the names that a template reads to code in the program, with the same meaning as in the engine.

use loopwright_model::graph::NodeIx;

use super::{
    Writer,
    python::literal,
    reads::{Read, Scope},
    template::{Names, Reading, Refused},
};

/// The names that one template can read.
pub(super) struct In<'w, 'f> {
    writer: &'w Writer<'f>,
    node: NodeIx,
    scope: Scope,
}

impl<'f> Writer<'f> {
    pub(super) fn names_in(&self, node: NodeIx, scope: Scope) -> In<'_, 'f> {
        In {
            writer: self,
            node,
            scope,
        }
    }

    /// Returns the regions around a scope, innermost first.
    fn around(&self, scope: Scope) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(scope.region, |&region| self.regions.regions[region].parent)
    }

    fn loop_of(&self, region: usize) -> &str {
        self.id(self.regions.regions[region].start)
    }

    fn loop_around(&self, scope: Scope, id: &str) -> bool {
        self.around(scope).any(|region| self.loop_of(region) == id)
    }

    /// Rejects a name that is read both as a handle and as a list index, because the program cannot distinguish the two.
    pub(super) fn mixed_reads(&mut self) {
        let reads = std::mem::take(&mut *self.reads.borrow_mut());
        for read in &reads {
            let handles = |name: &str| {
                name == "output"
                    || self.graph.index(&read.of).is_some_and(|node| {
                        let outputs = &self.graph.handles[node].outputs;
                        outputs.iter().any(|handle| handle.name == name)
                    })
            };
            let is_place = |first: &Option<String>| {
                first
                    .as_ref()
                    .is_none_or(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            };
            let also_by_handle = reads.iter().any(|other| {
                (other.by, &other.of) == (read.by, &read.of)
                    && other.first.as_deref().is_some_and(handles)
            });
            if is_place(&read.first) && also_by_handle {
                let message = format!(
                    "`{}` is read both by a handle and by an index in brackets, and the program cannot tell the two apart. Read \
                     `{0}.output` into a Transform first, and take the item from the Transform",
                    read.of
                );
                self.refuse(Some(read.by), "", message);
            }
        }
    }
}

/// Returns `name` if every loop of the program provides it to templates, otherwise `None`. Fails for a name that only
/// Loopwright's loops provide.
fn loop_name(name: &str) -> Result<Option<&str>, Refused> {
    match name {
        "loopIndex" | "loopCount" | "loopResult" => Ok(Some(name)),
        "loopStartTime" => Err(Refused(
            "`loopStartTime`: the program does not record times. Pass the time as an input"
                .to_owned(),
        )),
        "loopEscalated" => Err(Refused(
            "`loopEscalated`: the program does not detect a lack of progress".to_owned(),
        )),
        _ => Ok(None),
    }
}

impl Names for In<'_, '_> {
    fn name(&mut self, reading: &Reading<'_>) -> Result<(String, usize), Refused> {
        let (writer, scope, root) = (self.writer, self.scope, reading.root);
        let text = |text: &str| literal(&text.into());
        let whole = |code: String| Ok((code, 0));
        // A region that is not a loop is rejected, and the error names the node that opens it.
        let nearest = writer.around(scope).next();
        match root {
            "input" => return whole("n.input()".to_owned()),
            "inputs" => return whole("n.inputs()".to_owned()),
            "run" => return whole("n.run()".to_owned()),
            "result" if scope.of_loop => return whole("n.result()".to_owned()),
            "vars" => {
                return whole(nearest.map_or_else(
                    || "MISSING".to_owned(),
                    |region| format!("n.vars({})", text(writer.loop_of(region))),
                ));
            }
            "nodes" | "previous" | "loops" => return self.keyed(reading),
            _ => {}
        }
        if let (Some(what), Some(region)) = (loop_name(root)?, nearest) {
            return whole(format!(
                "n.loop({}, {})",
                text(writer.loop_of(region)),
                text(what)
            ));
        }
        let inputs = &writer.graph.handles[self.node].inputs;
        if !scope.of_loop && inputs.iter().any(|handle| handle.name == root) {
            return whole(format!("n.handle({})", text(root)));
        }
        let alias = writer.around(scope).find(|&region| {
            let start = &writer.flow.nodes[writer.regions.regions[region].start];
            start.text("inputName") == Some(root)
        });
        if let Some(region) = alias {
            return whole(format!(
                "n.loop({}, \"input\")",
                text(writer.loop_of(region))
            ));
        }
        if let Some((id, name)) = root.rsplit_once('_')
            && writer.loop_around(scope, id)
            && let Some(what) = loop_name(name)?
        {
            return whole(format!("n.loop({}, {})", text(id), text(what)));
        }
        if writer.graph.index(root).is_none() {
            return whole("MISSING".to_owned());
        }
        if reading.whole {
            return whole(format!("n.value({})", text(root)));
        }
        self.note(root, reading.path.first());
        whole(format!("n.part({})", text(root)))
    }
}

impl In<'_, '_> {
    fn note(&self, of: &str, first: Option<&String>) {
        self.writer.reads.borrow_mut().push(Read {
            by: self.node,
            of: of.to_owned(),
            first: first.cloned(),
        });
    }

    /// Resolves `nodes["id"].x`, `previous.id.x` and `loops["id"].loopIndex`.
    fn keyed(&self, reading: &Reading<'_>) -> Result<(String, usize), Refused> {
        let (writer, root) = (self.writer, reading.root);
        let text = |text: &str| literal(&text.into());
        let Some((id, rest)) = reading.path.split_first() else {
            return Err(Refused(format!(
                "`{root}` without a fixed name. Write the name as a string: `{root}[\"id\"]`"
            )));
        };
        let node = writer.graph.index(id);
        match root {
            "loops" => {
                let Some(field) = rest.first() else {
                    return Err(Refused(format!(
                        "`loops[\"{id}\"]` as a whole. Read one of its fields, such as `loops[\"{id}\"].loopIndex`"
                    )));
                };
                let code = match loop_name(field)?.filter(|_| writer.loop_around(self.scope, id)) {
                    Some(what) => format!("n.loop({}, {})", text(id), text(what)),
                    None => "MISSING".to_owned(),
                };
                Ok((code, 2))
            }
            "previous" => {
                let region = writer.around(self.scope).next();
                let code = match (region, node) {
                    (Some(region), Some(node)) if writer.regions.scope_of[node] == Some(region) => {
                        let function = if rest.is_empty() && !reading.dynamic {
                            "previous"
                        } else {
                            self.note(id, rest.first());
                            "previous_part"
                        };
                        format!(
                            "n.{function}({}, {})",
                            text(writer.loop_of(region)),
                            text(id)
                        )
                    }
                    _ => "MISSING".to_owned(),
                };
                Ok((code, 1))
            }
            _ => {
                let code = match node {
                    Some(_) if rest.is_empty() && !reading.dynamic => {
                        format!("n.value({})", text(id))
                    }
                    Some(_) => {
                        self.note(id, rest.first());
                        format!("n.part({})", text(id))
                    }
                    None => "MISSING".to_owned(),
                };
                Ok((code, 1))
            }
        }
    }
}
