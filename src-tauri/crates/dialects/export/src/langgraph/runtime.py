# The functions of the nodes. The code below is the same in every exported program. The flow itself is above,
# in NODES and LOOPS.


class Names(Blocks):
    """The names that the templates of a node can read."""

    def __init__(self, state: State, node: dict[str, Any], inputs: dict[str, Any], **own: Any):
        super().__init__()
        self._state, self._inputs, self._own = state, inputs, own
        if node["primary"] in inputs:
            self._own.setdefault("input", inputs[node["primary"]])

    def input(self) -> Any:
        return normal(self._own.get("input", MISSING))

    def result(self) -> Any:
        return normal(self._own.get("result", MISSING))

    def handle(self, name: str) -> Any:
        return normal(self._inputs.get(name, MISSING))

    def inputs(self) -> Any:
        return normal(self._inputs)

    def run(self) -> Any:
        return normal({"inputs": {**usual_inputs(), **self._state["inputs"]}})

    def value(self, node: str) -> Any:
        """Returns the value of a node; MISSING if the node did not run."""
        given = self._state["values"].get(node)
        return MISSING if given is None else normal(given["value"])

    def part(self, node: str) -> Any:
        """Returns a node whose handles or fields are read."""
        given = self._state["values"].get(node)
        return MISSING if given is None else parts(given)

    def _loop(self, loop: str) -> Any:
        return self._own["loop"] if self._own.get("of") == loop else self._state["loops"].get(loop)

    def previous(self, loop: str, node: str) -> Any:
        """Returns the value of a node in the previous iteration; null in the first one."""
        given = ((self._loop(loop) or {}).get("previous") or {}).get(node)
        return None if given is None else normal(given["value"])

    def previous_part(self, loop: str, node: str) -> Any:
        given = ((self._loop(loop) or {}).get("previous") or {}).get(node)
        return None if given is None else parts(given)

    def loop(self, loop: str, what: str) -> Any:
        run = self._loop(loop)
        if run is None:
            return MISSING
        known = {"loopIndex": run["index"], "loopCount": run["index"] + 1, "loopResult": run["prior"], "input": run["input"]}
        return normal(known[what])

    def vars(self, loop: str) -> Any:
        run = self._loop(loop)
        return MISSING if run is None else normal(run["vars"])


def parts(given: Given) -> Parts:
    return Parts(normal(given["value"]), {name: normal(value) for name, value in given["handles"].items()})


def render(template: Any, names: Names) -> Any:
    """Evaluates a template, which is a function of the names. Any other value is returned unchanged."""
    return template(names) if callable(template) else template


def test(condition: Condition, names: Names) -> bool:
    """Evaluates a condition. It is false if a name that it needs is missing. A result that is not a boolean
    is an error."""
    try:
        value = condition.value(names)
        value = MISSING if value is MISSING else finish(value)
    except (Failed, NoValue):
        if not any(read is MISSING or read is None for read in condition.reads(names)):
            raise
        value = MISSING
    if value is MISSING:
        return False
    if not isinstance(value, bool):
        raise ValueError(f"the condition `{condition.written}` must be true or false, but is {kind_of(value)}")
    return value


def similarity(one: Any, other: Any) -> float:
    """Returns 1 - Levenshtein distance / the longer length, of the first 10,000 characters."""
    first, second = ((value if isinstance(value, str) else to_json(value, sort=True))[:10_000] for value in (one, other))
    if first == second:
        return 1.0
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first, 1):
        before, row[0] = row[0], index
        for place, known in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != known))
    return 1 - row[-1] / max(len(first), len(second))


def live(state: State, wires: list[dict[str, str]]) -> dict[str, Any]:
    """Returns the values at a node's inputs, by handle."""
    at: dict[str, Any] = {}
    for wire in wires:
        source = state["values"].get(wire["from"])
        if source is not None and wire["out"] in source["handles"]:
            at.setdefault(wire["into"], source["handles"][wire["out"]])
    return at


def runs(node: dict[str, Any], inputs: dict[str, Any]) -> bool:
    wired = {wire["into"] for wire in node["wires"]}
    if not wired:
        return True
    return node["primary"] in inputs if node["primary"] in wired else bool(inputs)


def single(handle: str, value: Any) -> Given:
    return {"value": value, "handles": {handle: value}}


# ---- models


def call_of(state: State, node: dict[str, Any], inputs: dict[str, Any], schema: Any) -> Call:
    data, names = node["data"], Names(state, node, inputs)
    if data.get("prompt") is not None:
        prompt = to_text(render(data["prompt"], names))
    elif node["primary"] in inputs:
        prompt = to_text(inputs[node["primary"]])
    else:
        raise ValueError(f"“{node['title']}” has no prompt: its `prompt` is empty, and no value arrived")
    system = data.get("systemPrompt")
    return Call(
        node=node["title"],
        system=None if system is None else to_text(render(system, names)),
        prompt=prompt,
        context=None,
        provider=data.get("provider"),
        model=data.get("model"),
        temperature=data.get("temperature"),
        max_tokens=data.get("maxTokens"),
        schema=schema,
    )


NO_JSON = object()


def answer_json(answer: str) -> Any:
    """Reads an answer as JSON, with or without a Markdown fence. Returns NO_JSON if it is not JSON."""
    answer = answer.strip(SPACE)
    try:
        return json_of(answer)
    except ValueError:
        fenced = answer.startswith("```") and answer[3:].endswith("```")
    if not fenced:
        return NO_JSON
    try:
        return json_of(answer[3:-3].removeprefix("json").strip(SPACE))
    except ValueError:
        return NO_JSON


def mistake(schema: Any, value: Any, at: str = "it") -> Optional[str]:
    """Checks a value against the JSON Schema keywords that an exported flow may use. Returns the first
    mistake, or None."""
    kinds = {
        "string": isinstance(value, str), "boolean": isinstance(value, bool), "null": value is None,
        "number": is_number(value), "integer": is_integer(value) or isinstance(value, float) and value.is_integer(),
        "array": isinstance(value, list), "object": isinstance(value, dict),
    }
    types = schema.get("type", [])
    if types and not any(kinds[name] for name in ([types] if isinstance(types, str) else types)):
        return f"{at} is {kind_of(value)}, and not {types}"
    if "enum" in schema and not any(same(one, value) for one in schema["enum"]) or "const" in schema and not same(schema["const"], value):
        return f"{at} is not one of the allowed values"
    if is_number(value):
        bounds = (("minimum", at_least), ("maximum", at_most), ("exclusiveMinimum", greater), ("exclusiveMaximum", less))
        for name, holds in bounds:
            if name in schema and not holds(value, schema[name]):
                return f"{at} is beyond its {name} of {schema[name]}"
    for sized, least, most in ((str, "minLength", "maxLength"), (list, "minItems", "maxItems")):
        if isinstance(value, sized) and not schema.get(least, 0) <= len(value) <= schema.get(most, len(value)):
            return f"{at} has a length that is not allowed"
    if isinstance(value, list) and "items" in schema:
        return next((wrong for place, one in enumerate(value) if (wrong := mistake(schema["items"], one, f"{at}[{place}]"))), None)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                return f"{at} has no field “{name}”"
        for name, one in value.items():
            if name in known:
                if wrong := mistake(known[name], one, f"{at}.{name}"):
                    return wrong
            elif schema.get("additionalProperties") is False:
                return f"{at} has the field “{name}”, which is not allowed"
    return None


def llm(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> Given:
    schema = node["data"].get("responseFormat")
    call = call_of(state, node, inputs, schema)
    if "system" in inputs:
        call.system = to_text(inputs["system"])
    call.context = inputs.get("context")
    answer = MODEL(call)
    if schema is None:
        return single("response", answer)
    value = answer_json(answer)
    if value is NO_JSON:
        raise ValueError(f"the model's answer for “{node['title']}” is not JSON. It begins with: {answer[:80]}")
    handles = {"response": value}
    if isinstance(schema, dict):
        if wrong := mistake(schema, value):
            raise ValueError(f"the model's answer for “{node['title']}” does not match the schema: {wrong}")
        for name in schema.get("properties", {}):
            if name not in ("response", "usage"):
                handles[name] = value.get(name) if isinstance(value, dict) else None
    return {"value": value, "handles": handles}


# ---- the other nodes


def transform(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> Given:
    form = node["data"].get("outputFormat")
    value = render(node["data"]["template"], Names(state, node, inputs))
    if form == "text":
        value = to_text(value)
    elif form == "json" and isinstance(value, str):
        value = json_of(value)
    return single("output", value)


def bare(words: str) -> str:
    return "".join(letter for letter in words if letter.isalnum()).lower()


def named_in(words: str, names: list[str]) -> Optional[str]:
    """Returns the branch that the whole text or its last line names."""
    words = words.strip(SPACE)
    last = words.split("\n")[-1] if words else ""
    for part in (words, last):
        for name in names:
            if bare(part) and bare(name) == bare(part):
                return name
    return None


def preview(words: str, limit: int) -> str:
    return words if len(words) <= limit else f"{words[:limit]}…"


def router(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> Given:
    data, value = node["data"], inputs.get("input")
    names = [branch["name"] for branch in data["branches"]]
    chosen: Optional[str] = None
    if data["mode"] == "rules":
        reads = Names(state, node, inputs)
        met = next((branch for branch in data["branches"] if branch["when"] is not None and test(branch["when"], reads)), None)
        chosen, reason = (met["name"], f"`{met['when'].written}` is true") if met else (None, "no rule is true")
    elif data["mode"] == "pattern":
        words = to_text(value)
        chosen, last = named_in(words, names), words.strip(SPACE).split("\n")[-1].removesuffix("\r")
        reason = "the text names it" if chosen else f"the text names none of them; it ends with: {preview(last, 60)}"
    else:
        chosen, reason = by_model(state, node, inputs, names)
    if chosen is None:
        chosen, reason = data.get("fallback"), f"fallback: {reason}"
    if chosen is None:
        raise RuntimeError(f"“{node['title']}” could not choose a branch, and has no fallback: {reason.removeprefix('fallback: ')}")
    return {"value": {"selectedBranch": chosen, "value": value, "reason": reason}, "handles": {chosen: value}}


def by_model(state: State, node: dict[str, Any], inputs: dict[str, Any], names: list[str]) -> tuple[Optional[str], str]:
    """Returns the branch that the model chooses, and the reason. If the answer names none, the model is asked
    once more."""
    listed = ", ".join(f"`{name}`" for name in names)
    fields_ = {"branch": {"type": "string", "enum": names}, "reason": {"type": "string"}}
    schema = {"type": "object", "properties": fields_, "required": ["branch", "reason"], "additionalProperties": False}
    call = call_of(state, node, inputs, schema)
    if call.system is None:
        call.system = (
            f"Read the text and decide which of these branches it belongs to: {listed}. Choose exactly one of these names, and "
            "give the reason in one sentence."
        )
    if described := [f"- `{branch['name']}`: {branch['description']}" for branch in node["data"]["branches"] if "description" in branch]:
        call.system += "\n\nChoose a branch when what is said of it holds:\n" + "\n".join(described)
    answer = MODEL(call)
    if (chosen := verdict(answer, names)) is None:
        call.prompt += (
            f"\n\nYour answer was: {preview(answer, 200)}\nIt names none of the branches. Answer with exactly one of {listed}."
        )
        answer = MODEL(call)
        chosen = verdict(answer, names)
    if chosen is None:
        return None, f"the model answered twice without naming one of them. Its last answer was: {preview(answer, 80)}"
    return chosen


def verdict(answer: str, names: list[str]) -> Optional[tuple[Optional[str], str]]:
    said = answer_json(answer)
    if not isinstance(said, dict):
        chosen, reason = named_in(answer, names), answer.strip(SPACE)
    else:
        chosen, reason = said.get("branch"), said.get("reason")
        chosen = (chosen if chosen in names else named_in(chosen, names)) if isinstance(chosen, str) else None
    return None if chosen is None else (chosen, reason if isinstance(reason, str) else "")


def usual_inputs() -> dict[str, Any]:
    """Returns the default of each input, by name. An input without an entry is required."""
    usual: dict[str, Any] = {}
    for node in NODES.values():
        if node["kind"] == "input" and (node["data"]["default"] is not None or not node["data"]["required"]):
            usual.setdefault(node["data"]["name"], node["data"]["default"])
    return usual


def checked(inputs: dict[str, Any]) -> dict[str, Any]:
    """Checks that the given inputs exist and have the declared types, and that no required input is missing."""
    declared = {node["data"]["name"]: node["data"] for node in reversed(NODES.values()) if node["kind"] == "input"}
    for name, value in inputs.items():
        if name not in declared:
            raise ValueError(f"there is no input “{name}”. This flow has: {', '.join(declared) or 'none'}")
        kind = declared[name]["dataType"]
        if kind == "number" and not is_number(value) or kind == "boolean" and not isinstance(value, bool):
            raise ValueError(f"the input “{name}” must be a {kind}, but is {value!r}")
    for name, data in declared.items():
        if data["required"] and data["default"] is None and name not in inputs:
            raise ValueError(f"the input “{name}” is required and was not given")
    return inputs


def given_input(state: State, node: dict[str, Any], inputs: dict[str, Any]) -> Given:
    return single("value", {**usual_inputs(), **state["inputs"]}[node["data"]["name"]])


KINDS = {"llm": llm, "transform": transform, "router": router, "input": given_input}


def visit(name: str) -> Callable[[State], dict[str, Any]]:
    """Returns the function of a node that is not a loop. It does nothing if no value reaches the node."""
    node = NODES[name]

    def run(state: State) -> dict[str, Any]:
        others = {known: value for known, value in state["values"].items() if known != name}
        inputs = live(state, node["wires"])
        if node["kind"] == "exit":
            loop = state["loops"].get(node["closes"])
            if not loop:
                return {"values": others}
            handle = "exhausted" if loop["exhausted"] and node["exhausted_wired"] else "output"
            return {"values": {**others, name: single(handle, loop["last"])}}
        if not runs(node, inputs):
            return {"values": others}
        if node["kind"] == "output":
            return {"values": others, "outputs": {**state["outputs"], node["data"]["name"]: inputs[node["primary"]]}}
        return {"values": {**others, name: KINDS[node["kind"]](state, node, inputs)}}

    return run


# ---- loops


def begin(name: str) -> Callable[[State], dict[str, Any]]:
    """Returns the function that starts a loop: it sets the input and the variables, before the first
    iteration."""
    node, loop = NODES[name], LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        inputs = live(state, node["wires"])
        others = {known: value for known, value in state["values"].items() if known != name and known not in loop["body"]}
        if not runs(node, inputs):
            return {"values": others, "loops": {**state["loops"], name: None}}
        start = inputs.get("input")
        fresh: Loop = {
            "index": 0, "input": start, "first": start, "last": None, "vars": {}, "previous": None, "prior": None,
            "results": [], "stable": 0, "similarity": [], "reason": None, "exhausted": False, "outputs": {}, "best": None,
        }
        state = {**state, "values": {**others, name: under_way(fresh)}, "loops": {**state["loops"], name: fresh}}
        names = names_of(state, name, fresh, None)
        fresh["vars"] = {variable["name"]: render(variable["initial"], names) for variable in loop["variables"]}
        return closed({"values": state["values"], "loops": state["loops"]}, name, before(state, name, fresh))

    return run


def under_way(run: Loop) -> Given:
    """Returns the values that the nodes inside read from a loop, such as the iteration's input."""
    return {"value": run["input"], "handles": {"output": run["input"], "body": run["input"], "item": run["input"], "index": run["index"]}}


def names_of(state: State, name: str, run: Loop, result: Any) -> Names:
    """Returns the names that a loop's own expressions can read."""
    nothing: dict[str, Any] = {"primary": "input"}
    return Names(state, nothing, {}, input=run["input"], result=result, of=name, loop=run)


def before(state: State, name: str, run: Loop) -> Loop:
    """Evaluates a condition that is tested before an iteration, on the input of that iteration."""
    loop = LOOPS[name]
    condition = loop["condition"]
    if condition is None or not condition["before"]:
        return run
    met = test(condition["test"], names_of(state, name, run, run["input"])) == condition["met"]
    if met and run["index"] + 1 >= loop["min"]:
        return {**run, "reason": "condition_met", "last": run["last"] if run["index"] else run["first"]}
    if run["index"] >= loop["max"]:
        return limit(name, {**run, "reason": "max_iterations", "exhausted": True})
    return run


def limit(name: str, run: Loop) -> Loop:
    if run["exhausted"] and LOOPS[name]["on_limit"] == "fail":
        raise RuntimeError(f"the loop “{NODES[name]['title']}” ended after {run['index']} iterations without its condition being met")
    return run


def closed(update: dict[str, Any], name: str, run: Loop) -> dict[str, Any]:
    """Returns the update with the loop's state and, if the loop has ended, its own handles."""
    if run["reason"] and run["best"]:
        run = {**run, "last": run["best"][2]}
    update = {**update, "loops": {**update["loops"], name: run}}
    if run["reason"]:
        usual = {output["name"]: [] if output["take"] == "all" else None for output in LOOPS[name]["outputs"]}
        handles = {"output": run["last"], "iterations": run["results"], "count": len(run["results"]), "exitReason": run["reason"]}
        ended: Given = {"value": run["last"], "handles": {**handles, **usual, **run["outputs"]}}
        update["values"] = {**update["values"], name: ended}
    return update


def score_of(name: str, value: Any) -> float:
    """Returns a number, or the number in a string."""
    if not is_number(value):
        written = "true" if isinstance(value, bool) else to_text(value).strip(SPACE)
        value = float(written) if FLOAT.fullmatch(written) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"the score of “{NODES[name]['title']}” must be a number")
    return float(value)


def judge(name: str) -> Callable[[State], dict[str, Any]]:
    """Returns the function that ends an iteration: it determines the result, and whether the loop ends."""
    loop = LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        now = dict(state["loops"][name])
        at_end = live(state, loop["result"])
        reached = bool(at_end)
        result = next(iter(at_end.values())) if reached else turned_away(state, loop)
        count = now["index"] + 1
        names = names_of(state, name, now, result)
        outputs = dict(now["outputs"])
        for output in loop["outputs"]:
            try:
                value = finish(output["from"](names))
            except NoValue:
                continue
            if output["take"] == "all":
                outputs[output["name"]] = outputs.get(output["name"], []) + [value]
            elif output["take"] == "last" or output["name"] not in outputs:
                outputs[output["name"]] = value
        if loop["score"]:
            score = score_of(name, finish(loop["score"](names)))
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
            is_met = test(loop["condition"]["test"], names) == loop["condition"]["met"]
            met = "condition_met" if is_met and count >= loop["min"] else None
        early = loop["exit"] == "condition" and loop["condition"]["before"]
        if met is None and count >= loop["max"] and not early:
            met = "max_iterations"
            now["exhausted"] = loop["exit"] != "max_iterations"
        now.update(last=result, results=now["results"] + [result], reason=met, outputs=outputs)
        return closed({"values": state["values"], "loops": state["loops"]}, name, limit(name, {**now, "index": count}) if met else now)

    return run


def turned_away(state: State, loop: dict[str, Any]) -> Any:
    """Returns the result of an iteration in which nothing reached the end: the value that the last branching
    node sent elsewhere."""
    for decider in reversed(loop["deciders"]):
        given = state["values"].get(decider["node"])
        if given is None:
            continue
        branch, value = next(iter(given["handles"].items()))
        if branch not in decider["leads_on"]:
            return value
    raise RuntimeError("an iteration has no result: nothing reached the end of the loop")


def following(name: str) -> Callable[[State], dict[str, Any]]:
    """Returns the function that prepares the next iteration."""
    loop = LOOPS[name]

    def run(state: State) -> dict[str, Any]:
        now = dict(state["loops"][name])
        if loop["feedback"]:
            sources = [(state["values"].get(wire["from"]), wire["out"]) for wire in loop["feedback"]]
            feedbacks = [given["handles"][out] for given, out in sources if given is not None and out in given["handles"]]
        else:
            feedbacks = [state["values"][known]["value"] for known in loop["dangling"] if known in state["values"]]
        if len(feedbacks) > 1:
            raise RuntimeError(f"“{NODES[name]['title']}” got feedback from several nodes in one iteration, but only one may send it")
        feedback = feedbacks[0] if feedbacks else now["last"]
        if loop["mode"] == "variables":
            coming = now["first"]
        elif loop["mode"] == "append":
            if not isinstance(now["input"], str) or not isinstance(feedback, str):
                raise TypeError("the feedback mode `append` needs texts, but the input or the feedback is not a text")
            coming = f"{now['input']}\n---\n{feedback}"
        else:
            coming = feedback
        now["previous"] = {known: state["values"][known] for known in loop["body"] if known in state["values"]}
        names = names_of(state, name, now, now["last"])
        variables = {}
        for variable in loop["variables"]:
            next_ = variable["next"]
            variables[variable["name"]] = now["vars"][variable["name"]] if next_ is None else render(next_, names)
        now.update(vars=variables, input=coming, prior=now["last"], index=now["index"] + 1)
        if loop["delay"] and now["index"] < loop["max"]:
            pause(loop["delay"], now["index"])
        kept = {known: value for known, value in state["values"].items() if known not in loop["body"]}
        kept[name] = under_way(now)
        state = {**state, "values": kept, "loops": {**state["loops"], name: now}}
        return closed({"values": kept, "loops": state["loops"]}, name, before(state, name, now))

    return run


def pause(delay: dict[str, Any], finished: int) -> None:
    """Pauses after an iteration."""
    seconds = delay["interval"] * 2 ** (finished - 1) if delay["exponential"] else delay["interval"]
    time.sleep(seconds if delay["most"] is None else min(seconds, delay["most"]))


def over(name: str) -> Callable[[State], bool]:
    """Returns whether a loop has ended, or never started."""

    def ended(state: State) -> bool:
        run = state["loops"].get(name)
        return run is None or run["reason"] is not None

    return ended


def run_flow(inputs: dict[str, Any] | None = None) -> State:
    """Runs the flow. In the result, `outputs` contains the outputs of the flow, and `loops` the number of
    iterations of each loop and the reason why it ended."""
    first: State = {"inputs": checked(inputs or {}), "values": {}, "loops": {}, "outputs": {}}
    return build().invoke(first, {"recursion_limit": RECURSION_LIMIT})


def from_words(words: list[str]) -> dict[str, Any]:
    """Reads inputs from `name=value`. Text and file paths are unchanged; other values are parsed as JSON."""
    kinds = {node["data"]["name"]: node["data"]["dataType"] for node in NODES.values() if node["kind"] == "input"}
    values = dict(word.split("=", 1) for word in words)
    return {name: value if kinds.get(name, "text") in ("text", "file") else json_of(value) for name, value in values.items()}


if __name__ == "__main__":
    import sys

    finished = run_flow(from_words(sys.argv[1:]))
    for title, value in finished["outputs"].items():
        print(f"{title}: {to_text(value)}")
    for title, run in finished["loops"].items():
        if run:
            print(f"{title}: {len(run['results'])} iterations, {run['reason']}", file=sys.stderr)
