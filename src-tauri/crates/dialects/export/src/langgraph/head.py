from __future__ import annotations

import json
import math
import os
import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, TypedDict

from langgraph.graph import END, START, StateGraph


class Loop(TypedDict):
    """The state of a loop."""

    index: int
    input: Any
    first: Any
    last: Any
    vars: dict[str, Any]
    # The values of the nodes in the previous iteration; None in the first one.
    previous: Optional[dict[str, Any]]
    # The result of the previous iteration, during an iteration.
    prior: Any
    results: list[Any]
    stable: int
    similarity: list[float]
    reason: Optional[str]
    exhausted: bool
    outputs: dict[str, Any]
    # The best iteration: whether it reached the end, its score, and its result.
    best: Optional[tuple[bool, float, Any]]


class Given(TypedDict):
    """The result of a node: its value, and the value at each of its output handles."""

    value: Any
    handles: dict[str, Any]


class State(TypedDict):
    """The state that passes from node to node."""

    inputs: dict[str, Any]
    # The results by node. A node that did not run has no entry.
    values: dict[str, Given]
    loops: dict[str, Optional[Loop]]
    outputs: dict[str, Any]


@dataclass
class Call:
    """A request to a model."""

    node: str
    # None if the flow has no system prompt.
    system: Optional[str]
    prompt: str
    context: Any
    # The provider and the model that the flow names. If they are None, your function may choose.
    provider: Optional[str]
    model: Optional[str]
    temperature: Optional[float]
    max_tokens: Optional[int]
    # A JSON Schema, "json", or None for text.
    schema: Any


def ask_langchain(call: Call) -> str:
    """Asks a chat model through LangChain. For anything else, set MODEL to your own function."""
    from langchain.chat_models import init_chat_model

    options = {name: value for name, value in {"temperature": call.temperature, "max_tokens": call.max_tokens}.items() if value is not None}
    model = init_chat_model(call.model or os.environ["LOOPWRIGHT_MODEL"], **options)
    prompt = call.prompt
    if call.context is not None:
        material = call.context if isinstance(call.context, list) else [call.context]
        if any(isinstance(one, str) and one.startswith("data:image/") for one in material):
            raise NotImplementedError(f"“{call.node}” receives an image, which this function does not send. Set MODEL to a function that does")
        prompt += f"\n\n{to_text(call.context)}"
    if call.schema is not None:
        wanted = "JSON" if call.schema == "json" else f"JSON that fits this schema: {json.dumps(call.schema)}"
        prompt += f"\n\nAnswer with {wanted} and nothing else."
    messages = ([("system", call.system)] if call.system else []) + [("user", prompt)]
    return str(model.invoke(messages).text)


MODEL: Callable[[Call], str] = ask_langchain


@dataclass
class Condition:
    """A condition: its source, its function, and the function that returns the names that it reads."""

    written: str
    value: Callable[[Any], Any]
    reads: Callable[[Any], list[Any]]

