"""The loop of the comparison in Burr: without a persister (`memory`), with the one for SQLite (`sqlite`), or with that one and a
write-ahead log that does not wait for the disk at each commit (`normal`)."""

import work
from burr.core import ApplicationBuilder, Condition, State, action, default


@action(reads=["count", "total"], writes=["count", "total", "text"])
def render(state: State) -> State:
    count, total = state["count"] + 1, state["total"] + state["count"]
    return state.update(count=count, total=total, text=work.render(count, total))


@action(reads=["text"], writes=["text"])
def hand_on(state: State) -> State:
    return state.update(text=state["text"])


@action(reads=[], writes=[])
def leave(state: State) -> State:
    return state


def run(persister):
    finished = Condition(["count"], lambda state: state["count"] >= work.ROUNDS, name="finished")
    builder = (
        ApplicationBuilder()
        .with_actions(render, hand_on, leave)
        .with_transitions(
            ("render", "hand_on"), ("hand_on", "leave", finished), ("hand_on", "render", default)
        )
        .with_state(count=0, total=0, text="")
        .with_entrypoint("render")
    )
    if persister:
        persister.initialize()
        builder = builder.with_identifiers(app_id="1").with_state_persister(persister)
    program = builder.build()
    work.begin()
    _, _, state = program.run(halt_before=["leave"])
    work.end(state)


if work.SAVER == "memory":
    run(None)
else:
    from burr.core.persistence import SQLitePersister

    with SQLitePersister.from_values(work.STORE) as saver:
        if work.SAVER == "normal":
            saver.connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        run(saver)
