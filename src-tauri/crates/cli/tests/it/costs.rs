//! `loopwright costs limit`: the notices about budgets that would have no effect.

use crate::program::plain;

#[test]
fn a_budget_for_an_unknown_flow_and_the_removal_of_no_budget_are_noticed() {
    let root = tempfile::tempdir().unwrap();
    let data = root.path().join("data");
    let said = |args: &[&str]| {
        let arguments: Vec<&str> = ["costs", "limit"].iter().chain(args).copied().collect();
        let output = plain("http://127.0.0.1:9", &data, &arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(said(&["day", "5"]), "");
    let unknown = said(&["day", "5", "--flow", "Self-Refin"]);
    assert!(unknown.contains("\"Self-Refin\""), "{unknown}");
    // The budget is set anyway, so it can be removed.
    assert_eq!(said(&["day", "none", "--flow", "Self-Refin"]), "");
    for again in [
        said(&["day", "none", "--flow", "Self-Refin"]),
        said(&["week", "none"]),
    ] {
        assert!(again.contains("nothing was removed"), "{again}");
    }
    assert_eq!(said(&["day", "none"]), "");
}
