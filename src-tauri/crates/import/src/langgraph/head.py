from __future__ import annotations

import json
import operator
import os
import re
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypedDict

import jinja2
from langgraph.graph import END, START, StateGraph


class Loop(TypedDict):
    """One run of a loop."""

    index: int
    input: Any
    first: Any
    last: Any
    vars: dict[str, Any]
    previous: dict[str, Any]
    results: list[Any]
    stable: int
    similarity: list[float]
    reason: Optional[str]
    exhausted: bool
    outputs: dict[str, Any]
    # Whether the best iteration reached the end, its score, and its result.
    best: Optional[tuple[bool, float, Any]]


class State(TypedDict):
    """What goes from node to node."""

    inputs: dict[str, Any]
    # By node, then by output handle; a node that did not run has no entry.
    values: dict[str, dict[str, Any]]
    loops: dict[str, Optional[Loop]]
    outputs: dict[str, Any]


@dataclass
class Call:
    """What a model is asked."""

    node: str
    system: str
    prompt: str
    context: Any
    model: Optional[str]
    temperature: Optional[float]
    max_tokens: Optional[int]
    # A JSON Schema, "json", or None where text is wanted.
    schema: Any


def ask_langchain(call: Call) -> str:
    """Asks a chat model through LangChain; set MODEL to a function of your own for anything else."""
    from langchain.chat_models import init_chat_model

    options = {name: value for name, value in {"temperature": call.temperature, "max_tokens": call.max_tokens}.items() if value is not None}
    model = init_chat_model(call.model or os.environ["LOOPWRIGHT_MODEL"], **options)
    prompt = call.prompt
    if call.context is not None:
        prompt += f"\n\n{to_text(call.context)}"
    if call.schema is not None:
        wanted = "JSON" if call.schema == "json" else f"JSON that fits this schema: {json.dumps(call.schema)}"
        prompt += f"\n\nAnswer with {wanted} and nothing else."
    messages = ([("system", call.system)] if call.system else []) + [("user", prompt)]
    return str(model.invoke(messages).text)


MODEL: Callable[[Call], str] = ask_langchain

