"""The loop of the comparison in LangGraph, with a checkpointer: `memory`, `sqlite`, or `normal`: SQLite that does
not wait for the disk at each commit."""

from typing import TypedDict

import work
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    count: int
    total: int
    text: str


def render(state: State):
    count, total = state["count"] + 1, state["total"] + state["count"]
    return {"count": count, "total": total, "text": work.render(count, total)}


def hand_on(state: State):
    return {"text": state["text"]}


def decide(state: State):
    return END if state["count"] >= work.ROUNDS else "render"


def run(checkpointer):
    graph = StateGraph(State)
    graph.add_node("render", render)
    graph.add_node("hand_on", hand_on)
    graph.add_edge(START, "render")
    graph.add_edge("render", "hand_on")
    graph.add_conditional_edges("hand_on", decide, ["render", END])
    program = graph.compile(checkpointer=checkpointer)
    # Each iteration takes two steps, which would exceed the default limit of steps.
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 2 * work.ROUNDS + 10}
    # By default checkpoints are written in parallel with the loop, which waits at its end for the remaining
    # ones.
    durability = "sync" if work.WAITS else "async"
    work.begin()
    state = program.invoke({"count": 0, "total": 0, "text": ""}, config, durability=durability)
    work.end(state)


if work.SAVER == "memory":
    from langgraph.checkpoint.memory import MemorySaver

    run(MemorySaver())
else:
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(work.STORE) as saver:
        if work.SAVER == "normal":
            saver.conn.execute("PRAGMA synchronous = NORMAL")
        run(saver)
