"""The code that the Python programs of the comparison share: reading their task and printing their result.

The first argument is JSON: `rounds` is the number of iterations; `text` has the placeholders `{count}` and
`{total}`; `store` is a file, and `saver` the kind of store, if the program has a choice; `waits` says
whether each step waits until it is stored, also only if the program has a choice.
"""

import json
import sys
import time

_given = json.loads(sys.argv[1])
ROUNDS = _given["rounds"]
STORE = _given["store"]
SAVER = _given["saver"]
WAITS = _given["waits"]
_TEXT = _given["text"]
# The start times of the iterations after the first hundred and before the last hundred.
_stamps = {101: 0.0, ROUNDS - 99: 0.0}
_begun = [0.0, 0.0]


def begin():
    """Starts the clocks of the loop."""
    _begun[:] = time.perf_counter(), time.process_time()


def render(count, total):
    """Returns the text with which an iteration begins."""
    if count in _stamps:
        _stamps[count] = time.perf_counter()
    return _TEXT.format(count=count, total=total)


def end(state):
    """Stops the clocks and prints their times, with the final state of the loop."""
    ended, cpu = time.perf_counter(), time.process_time()
    answer = {name: state[name] for name in ("count", "total", "text")}
    answer["loopMs"] = (ended - _begun[0]) * 1000
    answer["loopCpuMs"] = (cpu - _begun[1]) * 1000
    if ROUNDS > 200:
        first, last = (_stamps[count] for count in (101, ROUNDS - 99))
        answer["firstMs"] = (first - _begun[0]) * 1000
        answer["lastMs"] = (ended - last) * 1000
    print(json.dumps(answer))
