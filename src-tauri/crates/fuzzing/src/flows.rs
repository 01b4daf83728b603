//! Flow files: read, linked, checked, planned, written, exported.

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
            let again = read_str(text).expect_err("what is no flow stays none");
            assert_eq!(error.to_string(), again.to_string());
            return;
        }
    };
    assert_eq!(flow, read_str(text).expect("what is a flow stays one"));
    is_written_as_it_was_read(&flow);
    checked(&flow);
}

/// What is written of a flow reads as the same flow, and is written alike.
pub(crate) fn is_written_as_it_was_read(flow: &Flow) {
    let written = to_string(&serde_json::to_value(flow).expect("a flow can be written"));
    let again = read_str(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(*flow, again, "it reads otherwise than it was written");
    let twice = to_string(&serde_json::to_value(&again).expect("a flow can be written"));
    assert_eq!(written, twice);
}

/// Lists a flow's problems. One without errors can be planned and exported. Gives whether it is one.
pub(crate) fn checked(flow: &Flow) -> bool {
    let linked = check(flow, KINDS.specs(), None, &NoFiles);
    let again = check(flow, KINDS.specs(), None, &NoFiles);
    assert_eq!(
        linked.problems, again.problems,
        "other problems the second time"
    );
    assert_eq!(linked.flow, again.flow);
    for problem in &linked.problems {
        assert!(!problem.message.trim().is_empty(), "{problem:?}");
        if let Some(id) = &problem.node {
            let known = |id: &str| flow.nodes.iter().any(|node| node.id == id);
            // In a subflow: `around/inside`. An id may have slashes itself.
            let mut around = id.match_indices('/').map(|(at, _)| &id[..at]);
            assert!(known(id) || around.any(known), "{problem:?}");
        }
    }
    if linked.problems.iter().any(|problem| problem.is_error()) {
        // It is not asked for, and must not harm.
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
