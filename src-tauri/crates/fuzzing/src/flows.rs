//! Checks flow files: they are read, linked, validated, planned, written and exported.

use std::sync::LazyLock;

use loopwright_engine::{KindSet, plan::plan};
use loopwright_export::langgraph;
use loopwright_model::{
    Flow,
    file::{read_str, to_string},
    subflow::NoFiles,
    validate::check,
};

pub(crate) static KINDS: LazyLock<KindSet> = LazyLock::new(loopwright_nodes::all);

pub(crate) fn flow_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let flow = match read_str(text) {
        Ok(flow) => flow,
        Err(error) => {
            let again = read_str(text).expect_err("a refused file is refused again");
            assert_eq!(error.to_string(), again.to_string());
            return;
        }
    };
    assert_eq!(
        flow,
        read_str(text).expect("a file that was read can be read again")
    );
    is_written_as_it_was_read(&flow);
    checked(&flow);
}

/// Checks that a flow is the same after it is written and read again.
pub(crate) fn is_written_as_it_was_read(flow: &Flow) {
    let written = to_string(&serde_json::to_value(flow).expect("a flow can be written"));
    let again = read_str(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(*flow, again, "a flow changed when it was written and read");
    let twice = to_string(&serde_json::to_value(&again).expect("a flow can be written"));
    assert_eq!(written, twice);
}

/// Checks a flow. Returns whether it has no errors. A flow without errors must have a plan, and exporting it must be
/// possible.
pub(crate) fn checked(flow: &Flow) -> bool {
    let linked = check(flow, KINDS.specs(), None, &NoFiles);
    let again = check(flow, KINDS.specs(), None, &NoFiles);
    assert_eq!(
        linked.problems, again.problems,
        "the second check found other problems"
    );
    assert_eq!(linked.flow, again.flow);
    for problem in &linked.problems {
        assert!(!problem.message.trim().is_empty(), "{problem:?}");
        if let Some(id) = &problem.node {
            let known = |id: &str| flow.nodes.iter().any(|node| node.id == id);
            // A node in a subflow has the id `around/inside`. An id can itself contain slashes.
            let mut around = id.match_indices('/').map(|(at, _)| &id[..at]);
            assert!(known(id) || around.any(known), "{problem:?}");
        }
    }
    if linked.problems.iter().any(|problem| problem.is_error()) {
        // A flow with errors need not have a plan, but planning it must not panic.
        let _ = plan(&linked.flow, &KINDS);
        return false;
    }
    if let Err(error) = plan(&linked.flow, &KINDS) {
        panic!("a flow without errors cannot be planned: {error:?}");
    }
    match langgraph::export(&linked.flow, KINDS.specs()) {
        Ok(export) => assert!(!export.program.is_empty()),
        Err(refused) => {
            assert!(!refused.reasons.is_empty());
            for reason in &refused.reasons {
                assert!(!reason.message.trim().is_empty() && !reason.place.is_empty());
            }
        }
    }
    true
}
