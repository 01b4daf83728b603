//! `agent.*`: tasks for the agents that `settings.agents` describes, each a model call with that agent's own words.

use serde_json::{Map, Value, json};

use super::{
    actions::{Made, left_over, settled, unused},
    models::model_call,
    steps::{Steps, joined},
};
use crate::build::Port;

/// The most agents of one action.
const MOST: usize = 20;

/// The call of the agent `agent` with `task`.
///
/// # Errors
/// When there is no such agent.
fn call(steps: &mut Steps<'_, '_>, agent: &str, task: &str, place: &str) -> Result<Value, String> {
    let agents = steps
        .agent
        .constants
        .get("settings")
        .and_then(|settings| settings.get("agents"))
        .and_then(Value::as_object);
    let Some(config) = agents.and_then(|agents| agents.get(agent)?.as_object()) else {
        let known = agents.into_iter().flat_map(Map::keys).map(String::as_str);
        return Err(format!(
            "`settings.agents` has no agent “{agent}”{}",
            crate::hint(agent, known)
        ));
    };
    let mut asked = json!({ "prompt": task });
    for (field, of) in [
        ("system", "system_prompt"),
        ("model", "model"),
        ("temperature", "temperature"),
        ("max_tokens", "max_tokens"),
    ] {
        if let Some(value) = config.get(of) {
            asked[field] = value.clone();
        }
    }
    const USED: [&str; 4] = ["system_prompt", "model", "temperature", "max_tokens"];
    left_over(steps, &format!("the agent “{agent}”"), config, place, &USED);
    Ok(asked)
}

fn text<'w>(with: &'w Value, field: &str, action: &str) -> Result<&'w str, String> {
    with.get(field)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("`{action}` has no `{field}`"))
}

fn names<'w>(with: &'w Value, action: &str) -> Result<Vec<&'w str>, String> {
    let listed: Vec<&str> = with
        .get("agents")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if listed.is_empty() || listed.len() > MOST {
        return Err(format!(
            "`{action}` wants a list of 1 to {MOST} names in `agents`"
        ));
    }
    Ok(listed)
}

/// `agent.dispatch`: one agent, one task.
///
/// # Errors
/// Why it has no counterpart, as a sentence for the report.
pub(super) fn dispatch(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let (agent, task) = (
        text(with, "agent", "agent.dispatch")?,
        text(with, "task", "agent.dispatch")?,
    );
    unused(steps, "agent.dispatch", with, place, &["agent", "task"]);
    let asked = call(steps, agent, task, place)?;
    let mut made = model_call(steps, name, "llm.call", &asked, place, from)?;
    made.source.push_str(&format!(
        "\nresult = {{ response = content, agent = {}, usage = usage, success = true }}",
        super::lua_text(agent)
    ));
    Ok(made)
}

/// `agent.sequential`: agents in a row, each with what the one before said.
///
/// # Errors
/// As [`dispatch`].
pub(super) fn sequential(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let action = "agent.sequential";
    let agents = names(with, action)?;
    let task = text(with, "task", action)
        .or_else(|why| text(with, "initial_task", action).map_err(|_| why))?;
    let next = with
        .get("transform")
        .and_then(Value::as_str)
        .unwrap_or("{{ previous_response }}");
    unused(
        steps,
        action,
        with,
        place,
        &[
            "agents",
            "task",
            "initial_task",
            "transform",
            "early_exit_on_error",
        ],
    );
    let calls = agents
        .iter()
        .enumerate()
        .map(|(at, agent)| call(steps, agent, if at == 0 { task } else { next }, place))
        .collect::<Result<Vec<_>, _>>()?;
    let from = joined(steps.build, from.to_vec());
    let outer = std::mem::replace(
        &mut steps.bound,
        vec![("previous_response", "_previous"), ("chain", "_chain")],
    );
    let mut ports = from.clone();
    let mut failed = None;
    for (at, (agent, asked)) in agents.iter().zip(&calls).enumerate() {
        let label = format!("{name} by {agent}");
        let made = match model_call(steps, &label, "llm.call", asked, place, &ports) {
            Ok(made) => made,
            Err(why) => {
                failed = Some(why);
                break;
            }
        };
        let first = if at == 0 {
            "state._chain = array({})\n"
        } else {
            ""
        };
        let keep = format!(
            "{first}table.insert(state._chain, {{ agent = {}, response = content }})\nstate._previous = content\nreturn state",
            super::lua_text(agent)
        );
        ports = vec![Port::of(&settled(
            steps,
            &format!("Take {label}"),
            made,
            &keep,
        ))];
    }
    steps.bound = outer;
    if let Some(why) = failed {
        return Err(why);
    }
    Ok(Made {
        from: ports,
        wires: from.iter().map(|port| ("before".to_owned(), port.clone())).collect(),
        source: "local result = { response = state._previous, chain = state._chain, trace = state._chain, success = true }\nfor at, one in ipairs(state._chain) do result[\"stage_\" .. at - 1] = one.response end\nstate = before".to_owned(),
        given: None,
    })
}

/// `agent.parallel`: several agents with one task; their answers are collected, counted, or the first is taken.
///
/// # Errors
/// As [`dispatch`].
pub(super) fn parallel(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let action = "agent.parallel";
    let agents = names(with, action)?;
    let task = text(with, "task", action)?;
    let how = with
        .get("aggregation")
        .and_then(Value::as_str)
        .unwrap_or("collect");
    if !["collect", "vote", "first"].contains(&how) {
        return Err(format!(
            "`{action}` with the aggregation `{how}` has no counterpart here"
        ));
    }
    unused(
        steps,
        action,
        with,
        place,
        &["agents", "task", "aggregation", "max_concurrent"],
    );
    let calls = agents
        .iter()
        .map(|agent| call(steps, agent, task, place))
        .collect::<Result<Vec<_>, _>>()?;
    let from = joined(steps.build, from.to_vec());
    let mut wires = Vec::new();
    let mut list = Vec::new();
    for (at, (agent, asked)) in agents.iter().zip(&calls).enumerate() {
        let made = model_call(
            steps,
            &format!("{name} by {agent}"),
            "llm.call",
            asked,
            place,
            &from,
        )?;
        let reply = format!("reply{}", at + 1);
        let port = made.wires.into_iter().find(|(handle, _)| handle == "reply");
        wires.extend(port.map(|(_, port)| (reply.clone(), port)));
        list.push(format!(
            "{{ agent = {}, response = {reply}, success = true }}",
            super::lua_text(agent)
        ));
    }
    Ok(Made {
        from,
        wires,
        source: format!(
            "local how = \"{how}\"\nlocal replies = array({{ {} }})\n{}",
            list.join(", "),
            include_str!("team.luau").trim_end()
        ),
        given: None,
    })
}
