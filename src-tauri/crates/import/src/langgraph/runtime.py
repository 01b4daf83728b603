# What the nodes do. Everything below is the same in every exported program; the flow itself stands above, in NODES and LOOPS.


class NodeValue(dict):
    """A node's values by handle, and the fields of its main value; written out or counted with, it is the main value itself."""

    def __init__(self, whole: Any, handles: dict[str, Any]):
        fields = whole if isinstance(whole, dict) else {}
        super().__init__({**fields, **handles, "output": handles.get("output", whole)})
        self.whole = whole

    def __missing__(self, key: Any) -> Any:
        if isinstance(self.whole, (list, str)) and isinstance(key, (int, slice)):
            return self.whole[key]
        raise KeyError(key)

    def __iter__(self) -> Any:
        return iter(self.whole) if isinstance(self.whole, (list, str)) else super().__iter__()

    def __contains__(self, key: object) -> bool:
        return key in self.whole if isinstance(self.whole, (list, str)) else super().__contains__(key)

    def __eq__(self, other: object) -> bool:
        return self.whole == plain(other)

    def __bool__(self) -> bool:
        return bool(self.whole)

    def __str__(self) -> str:
        return to_text(self.whole)

    __hash__ = None  # type: ignore[assignment]


def _counts(name: str) -> None:
    """Lets a node's value be counted and compared with."""
    work = getattr(operator, name)
    setattr(NodeValue, f"__{name}__", lambda self, other: work(self.whole, plain(other)))
    setattr(NodeValue, f"__r{name}__", lambda self, other: work(plain(other), self.whole))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge"):
    _counts(_name)


def plain(value: Any) -> Any:
    return value.whole if isinstance(value, NodeValue) else value


def whole_numbers(value: Any) -> Any:
    """Whole numbers are written without a fraction."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return value


def to_json(value: Any, *, sort: bool = False) -> str:
    return json.dumps(whole_numbers(plain(value)), ensure_ascii=False, separators=(",", ":"), sort_keys=sort)


def to_text(value: Any) -> str:
    value = plain(value)
    if isinstance(value, (str, jinja2.Undefined)):
        return str(value)
    return "" if value is None else to_json(value)


def environment(undefined: type[jinja2.Undefined]) -> jinja2.Environment:
    env = jinja2.Environment(undefined=undefined, autoescape=False, keep_trailing_newline=True, finalize=to_text)
    missing = lambda value: value is None or isinstance(value, jinja2.Undefined)
    env.globals["null"] = None
    env.globals["range"] = lambda start=0, end=0, step_by=1: list(range(start, end, step_by))
    env.filters["default"] = lambda subject, instead="", boolean=False, **named: (
        named.get("value", instead) if missing(plain(subject)) or (boolean and not subject) else subject
    )
    env.filters["json"] = lambda value, pretty=False: json.dumps(plain(value), indent=2, ensure_ascii=False) if pretty else to_json(value)
    env.filters["str"] = to_text
    env.filters["length"] = lambda value: len(plain(value))
    env.filters["join"] = lambda value, sep="": sep.join(to_text(item) for item in plain(value))
    env.filters["replace"] = lambda value, **named: to_text(value).replace(named["from"], named["to"])
    env.filters["split"] = lambda value, pat: to_text(value).split(pat)
    env.filters["trim"] = lambda value: to_text(value).strip()
    env.filters["nth"] = lambda value, n: plain(value)[n] if n < len(plain(value)) else jinja2.Undefined()
    env.filters["get"] = lambda value, key, default=None: plain(value).get(key, default)
    env.filters["last"] = lambda value: plain(value)[-1] if plain(value) else jinja2.Undefined()
    env.tests["containing"] = lambda value, part: part in plain(value)
    env.tests["starting_with"] = lambda value, part: to_text(value).startswith(part)
    env.tests["ending_with"] = lambda value, part: to_text(value).endswith(part)
    env.tests["array"] = lambda value: isinstance(plain(value), list)
    env.tests["map"] = lambda value: isinstance(plain(value), dict)
    env.tests["bool"] = lambda value: isinstance(value, bool)
    return env


STRICT = environment(jinja2.StrictUndefined)
LENIENT = environment(jinja2.ChainableUndefined)
ONE_EXPRESSION = re.compile(r"^\{\{-?((?:(?!\}\}|\{\{|\{%).)*?)-?\}\}$", re.DOTALL)


def render(template: Any, names: dict[str, Any]) -> Any:
    """A template that is one expression keeps the type of its value; anything else gives a text."""
    if not isinstance(template, str):
        return template
    alone = ONE_EXPRESSION.match(template)
    if alone:
        value = STRICT.compile_expression(alone.group(1), undefined_to_none=False)(**names)
        if isinstance(value, jinja2.Undefined):
            raise ValueError(f"`{alone.group(1).strip()}` has no value here")
        return whole_numbers(plain(value))
    return STRICT.from_string(template).render(**names)


def test(expression: str, names: dict[str, Any]) -> bool:
    """A condition: what is missing is false, and what is no boolean an error."""
    try:
        value = LENIENT.compile_expression(expression, undefined_to_none=False)(**names)
    except (jinja2.UndefinedError, TypeError):
        return False
    if isinstance(value, jinja2.Undefined) or value is None:
        return False
    if not isinstance(value, bool):
        raise ValueError(f"the condition `{expression}` must be true or false, and is {value!r}")
    return value


def similarity(one: Any, other: Any) -> float:
    """1 - Levenshtein distance / the longer length, of the first 10,000 characters."""
    first, second = ((value if isinstance(value, str) else to_json(value, sort=True))[:10_000] for value in (one, other))
    if first == second:
        return 1.0
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first, 1):
        before, row[0] = row[0], index
        for place, known in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != known))
    return 1 - row[-1] / max(len(first), len(second))


def live(state: State, node: dict[str, Any]) -> dict[str, Any]:
    """The values at a node's inputs, by handle."""
    found: dict[str, Any] = {}
    for wire in node["wires"]:
        source = state["values"].get(wire["from"], {})
        if wire["out"] in source:
            found.setdefault(wire["into"], source[wire["out"]])
    return found


def runs(node: dict[str, Any], inputs: dict[str, Any]) -> bool:
    wired = {wire["into"] for wire in node["wires"]}
    if not wired:
        return True
    return node["primary"] in inputs if node["primary"] in wired else bool(inputs)


def names_in(state: State, node: dict[str, Any], inputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a template of this node reads."""
    names: dict[str, Any] = {}
    values = {}
    for name, handles in state["values"].items():
        main = NODES[name]["main"]
        whole = {"selectedBranch": next(iter(handles), None), "value": next(iter(handles.values()), None)} if main is None else handles.get(main)
        values[name] = NodeValue(whole, handles)
    names.update(values)
    loops = {}
    for name in node["loops"]:
        run = state["loops"].get(name)
        if run:
            loops[name] = {"loopIndex": run["index"], "loopCount": run["index"] + 1, "loopResult": run["last"]}
            names.update({f"{name}_{key}": value for key, value in loops[name].items()})
    names["nodes"], names["loops"], names["run"] = values, loops, {"inputs": {**usual_inputs(), **state["inputs"]}}
    if node["loops"]:
        run = state["loops"][node["loops"][-1]]
        if run:
            names.update(loops[node["loops"][-1]], vars=run["vars"], previous=run["previous"])
            if alias := LOOPS[node["loops"][-1]].get("inputName"):
                names[alias] = run["input"]
    names["inputs"] = inputs
    names.update({name: value for name, value in inputs.items() if name != node["primary"]})
    if node["primary"] in inputs:
        names["input"] = inputs[node["primary"]]
    names.update(more)
    return names


def ask(state: State, node: dict[str, Any], inputs: dict[str, Any], schema: Any = None) -> str:
    data = node["data"]
    names = names_in(state, node, inputs)
    template = data.get("prompt") or "{{ input }}"
    system = inputs["system"] if "system" in inputs else render(data.get("systemPrompt") or "", names)
    return MODEL(
        Call(
            node=node["title"],
            system=to_text(system),
            prompt=to_text(render(template, names)),
            context=inputs.get("context"),
            model=data.get("model"),
            temperature=data.get("temperature"),
            max_tokens=data.get("maxTokens"),
            schema=schema,
        )
    )


def read_json(text: str) -> Any:
    fenced = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL)
    return json.loads(fenced.group(1) if fenced else text)


def llm(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    schema = node["data"].get("responseFormat")
    if schema in (None, "text"):
        return {"response": ask(state, node, inputs)}
    value = read_json(ask(state, node, inputs, schema))
    fields = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return {**{name: value.get(name) for name in fields}, "response": value}


def transform(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    template, form = node["data"].get("template", ""), node["data"].get("outputFormat")
    value = render(template, names_in(state, node, inputs)) if template.strip() else template
    if form == "text":
        value = to_text(value)
    elif form == "json" and isinstance(value, str):
        value = json.loads(value)
    return {"output": value}


def router(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    data, value = node["data"], inputs.get("input")
    branches = [branch if isinstance(branch, dict) else {"name": branch} for branch in data["branches"]]
    chosen = None
    if data.get("mode", "rules") == "rules":
        names = names_in(state, node, inputs)
        chosen = next((branch["name"] for branch in branches if branch.get("when") and test(branch["when"], names)), None)
    elif data["mode"] == "pattern":
        bare = lambda text: re.sub(r"[^\w\s]", "", text).strip().lower()
        text = to_text(value).strip()
        for said in (text, text.splitlines()[-1] if text else ""):
            chosen = chosen or next((branch["name"] for branch in branches if bare(branch["name"]) == bare(said)), None)
    else:
        listed = [branch["name"] for branch in branches]
        schema = {"type": "object", "properties": {"branch": {"enum": listed}, "reason": {"type": "string"}}, "required": ["branch"]}
        for _ in range(2):
            try:
                said = read_json(ask(state, node, inputs, schema)).get("branch")
            except (ValueError, AttributeError):
                said = None
            if said in listed:
                chosen = said
                break
    chosen = chosen or data.get("fallback")
    if chosen is None:
        raise RuntimeError(f"“{node['title']}” could not choose a branch, and has no fallback")
    return {chosen: value}


def usual_inputs() -> dict[str, Any]:
    """What inputs are where nothing is given, by name."""
    usual = {}
    for name, node in NODES.items():
        data = node["data"]
        for field in ("default", "defaultValue"):
            if node["kind"] == "input" and data.get(field) is not None:
                usual.setdefault(data.get("name") or name, data[field])
    return usual


def given(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    data = node["data"]
    name = data.get("name") or node["id"]
    if name in state["inputs"]:
        return {"value": state["inputs"][name]}
    if data.get("required"):
        raise ValueError(f"the input “{name}” needs a value")
    return {"value": usual_inputs().get(name, "" if data.get("dataType", "text") == "text" else None)}


def leave(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    run = state["loops"].get(node["closes"])
    if not run:
        return {}
    handle = "exhausted" if run["exhausted"] and node["exhausted_wired"] else "output"
    return {handle: run["last"]}


KINDS = {"llm": llm, "transform": transform, "router": router, "input": given, "exit": leave}


def visit(name: str) -> Callable[[State], dict[str, Any]]:
    """The function of a node that is no loop: it does nothing where no value reaches it."""
    node = NODES[name]

    def run(state: State) -> dict[str, Any]:
        others = {known: value for known, value in state["values"].items() if known != name}
        inputs = live(state, node)
        if node["kind"] == "exit":
            outcome = leave(state, node, inputs)
            return {"values": {**others, name: outcome} if outcome else others}
        if not runs(node, inputs):
            return {"values": others}
        if node["kind"] == "output":
            title = node["data"].get("name") or name
            return {"values": others, "outputs": {**state["outputs"], title: inputs[node["primary"]]}}
        if node["kind"] not in KINDS:
            raise NotImplementedError(f"“{node['title']}” is a {node['kind']}, which this program does not do. Write the function for it")
        return {"values": {**others, name: KINDS[node["kind"]](state, node, inputs)}}

    return run


def begin(name: str) -> Callable[[State], dict[str, Any]]:
    """A loop's start: its input, its variables, no iteration yet."""
    node, loop = NODES[name], LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        inputs = live(state, node)
        others = {known: value for known, value in state["values"].items() if known != name and known not in loop["body"]}
        if not runs(node, inputs):
            return {"values": others, "loops": {**state["loops"], name: None}}
        start = inputs.get("input")
        fresh: Loop = {
            "index": 0, "input": start, "first": start, "last": None, "vars": {}, "previous": {known: None for known in loop["body"]},
            "results": [], "stable": 0, "similarity": [], "reason": None, "exhausted": False, "outputs": {}, "best": None,
        }
        state = {**state, "values": {**others, name: {"body": start}}, "loops": {**state["loops"], name: fresh}}
        names = names_in(state, inside(loop, name), {}, input=start)
        fresh["vars"] = {variable["name"]: render(variable.get("initial"), names) for variable in loop["variables"]}
        return closed({"values": state["values"], "loops": state["loops"]}, name, before(state, name, fresh))

    return run


def inside(loop: dict[str, Any], name: str) -> dict[str, Any]:
    return {"wires": [], "primary": "input", "loops": [*NODES[name]["loops"], name], "data": {}, "title": name}


def before(state: State, name: str, run: Loop) -> Loop:
    """Reads a condition that is tested before an iteration."""
    loop = LOOPS[name]
    condition = loop["condition"] if loop["exit"] == "condition" else None
    if not condition or not condition["before"]:
        return run
    names = names_in({**state, "loops": {**state["loops"], name: run}}, inside(loop, name), {}, input=run["input"], result=run["last"])
    if run["index"] + 1 >= loop["min"] and test(condition["expression"], names) == condition["met"]:
        return {**run, "reason": "condition_met", "last": run["last"] if run["index"] else run["input"]}
    if run["index"] >= loop["max"]:
        return limit(name, {**run, "reason": "max_iterations", "exhausted": True})
    return run


def limit(name: str, run: Loop) -> Loop:
    if run["exhausted"] and LOOPS[name]["on_limit"] == "fail":
        raise RuntimeError(f"the loop “{NODES[name]['title']}” ended after {run['index']} iterations without its condition being met")
    return run


def closed(update: dict[str, Any], name: str, run: Loop) -> dict[str, Any]:
    """The update with the loop's state, and with its own handles where it is over."""
    if run["reason"] and run["best"]:
        run = {**run, "last": run["best"][2]}
    update = {**update, "loops": {**update["loops"], name: run}}
    if run["reason"]:
        usual = {output["name"]: [] if output["take"] == "all" else None for output in LOOPS[name]["outputs"]}
        handles = {"output": run["last"], "iterations": run["results"], "count": len(run["results"]), "exitReason": run["reason"]}
        update["values"] = {**update["values"], name: {**handles, **usual, **run["outputs"]}}
    return update


def judge(name: str) -> Callable[[State], dict[str, Any]]:
    """What an iteration came to: its result, and whether it was the last."""
    loop = LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        now = dict(state["loops"][name])
        found = live(state, {"wires": loop["result"]})
        reached = bool(found)
        result = next(iter(found.values())) if reached else turned_away(state, loop)
        count = now["index"] + 1
        names = names_in(state, inside(loop, name), {}, input=now["input"], result=result)
        outputs = dict(now["outputs"])
        for output in loop["outputs"]:
            value = LENIENT.compile_expression(output["from"], undefined_to_none=False)(**names)
            if isinstance(value, jinja2.Undefined):
                continue
            value = whole_numbers(plain(value))
            if output["take"] == "all":
                outputs[output["name"]] = outputs.get(output["name"], []) + [value]
            elif output["take"] == "last" or output["name"] not in outputs:
                outputs[output["name"]] = value
        if loop["score"]:
            score = STRICT.compile_expression(loop["score"], undefined_to_none=False)(**names)
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise ValueError(f"the score `{loop['score']}` must be a number, and is {score!r}")
            if now["best"] is None or (reached, score) > now["best"][:2]:
                now["best"] = (reached, score, result)
        met = None
        if loop["exit"] == "evaluator":
            met = "evaluator_done" if reached and count >= loop["min"] else None
        elif loop["exit"] == "stable_output":
            if now["results"]:
                measured = similarity(now["last"], result)
                now["similarity"] = now["similarity"] + [measured]
                now["stable"] = now["stable"] + 1 if measured >= loop["threshold"] else 0
            met = "stable_output" if now["stable"] >= loop["patience"] and count >= loop["min"] else None
        elif loop["exit"] == "condition" and not loop["condition"]["before"]:
            is_met = test(loop["condition"]["expression"], names) == loop["condition"]["met"]
            met = "condition_met" if is_met and count >= loop["min"] else None
        early = loop["exit"] == "condition" and loop["condition"]["before"]
        if met is None and count >= loop["max"] and not early:
            met = "max_iterations"
            now["exhausted"] = loop["exit"] != "max_iterations"
        now.update(last=result, results=now["results"] + [result], reason=met, outputs=outputs)
        return closed({"values": state["values"], "loops": state["loops"]}, name, limit(name, {**now, "index": count}) if met else now)

    return run


def turned_away(state: State, loop: dict[str, Any]) -> Any:
    """Where nothing reached the end: what the last node held that turned away from it."""
    for known in reversed(loop["core"]):
        node = NODES[known]
        decides = node["kind"] == "router" or (node["kind"] == "exit" and node["exhausted_wired"])
        if decides and state["values"].get(known):
            return next(iter(state["values"][known].values()))
    raise RuntimeError("an iteration has no result: nothing reached the end of the loop")


def following(name: str) -> Callable[[State], dict[str, Any]]:
    """What the next iteration gets."""
    loop = LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        now = dict(state["loops"][name])
        found = [wire for wire in loop["feedback"] if wire["out"] in state["values"].get(wire["from"], {})]
        feedbacks = [state["values"][wire["from"]][wire["out"]] for wire in found]
        if not found:
            ends = [state["values"][known] for known in loop["dangling"] if state["values"].get(known)]
            feedbacks = [next(iter(end.values())) for end in ends]
        if len(feedbacks) > 1:
            raise RuntimeError(f"“{NODES[name]['title']}” got feedback from several nodes in one iteration, and only one may be live")
        feedback = feedbacks[0] if feedbacks else now["last"]
        values = {known: state["values"].get(known) for known in loop["body"]}
        previous = {known: None if held is None else NodeValue(held.get(NODES[known]["main"]), held) for known, held in values.items()}
        names = names_in(state, inside(loop, name), {}, input=now["input"], result=now["last"], previous=previous)
        now["vars"] = {
            variable["name"]: render(variable["next"], names) if "next" in variable else now["vars"][variable["name"]]
            for variable in loop["variables"]
        }
        if loop["mode"] == "variables":
            coming = now["first"]
        elif loop["mode"] == "append":
            if not isinstance(now["input"], str) or not isinstance(feedback, str):
                raise TypeError("append takes texts, and the input or the feedback is none")
            coming = f"{now['input']}\n---\n{feedback}"
        else:
            coming = feedback
        now.update(previous=previous, input=coming, index=now["index"] + 1)
        kept = {known: value for known, value in state["values"].items() if known not in loop["body"]}
        kept[name] = {"body": coming}
        state = {**state, "values": kept}
        return closed({"values": kept, "loops": state["loops"]}, name, before(state, name, now))

    return run


def over(name: str) -> Callable[[State], bool]:
    """Whether a loop has ended, or was never begun."""

    def ended(state: State) -> bool:
        run = state["loops"].get(name)
        return run is None or run["reason"] is not None

    return ended


def run_flow(inputs: dict[str, Any] | None = None) -> State:
    """Runs the flow; `outputs` of the result are its outputs, `loops` say how often each loop ran and why it ended."""
    first: State = {"inputs": inputs or {}, "values": {}, "loops": {}, "outputs": {}}
    return build().invoke(first, {"recursion_limit": RECURSION_LIMIT})


if __name__ == "__main__":
    import sys

    given_inputs = dict(argument.split("=", 1) for argument in sys.argv[1:])
    finished = run_flow(given_inputs)
    for title, value in finished["outputs"].items():
        print(f"{title}: {to_text(value)}")
    for title, run in finished["loops"].items():
        if run:
            print(f"{title}: {len(run['results'])} iterations, {run['reason']}", file=sys.stderr)
