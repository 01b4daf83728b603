"""The loop of the comparison in PocketFlow, which keeps its state in memory."""

import work
from pocketflow import Flow, Node


class Render(Node):
    def prep(self, shared):
        return shared["count"] + 1, shared["total"] + shared["count"]

    def exec(self, counters):
        return work.render(*counters)

    def post(self, shared, counters, text):
        shared["count"], shared["total"] = counters
        shared["text"] = text


class HandOn(Node):
    def prep(self, shared):
        return shared["text"]

    def exec(self, text):
        return text

    def post(self, shared, _, text):
        shared["text"] = text
        return "done" if shared["count"] >= work.ROUNDS else "continue"


class Done(Node):
    pass


render, hand_on = Render(), HandOn()
render >> hand_on
hand_on - "continue" >> render
hand_on - "done" >> Done()
flow = Flow(start=render)
state = {"count": 0, "total": 0, "text": ""}
work.begin()
flow.run(state)
work.end(state)
