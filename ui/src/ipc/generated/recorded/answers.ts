// The answers to `questions.json`, in its order. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;
import type { ApiError } from "../bindings";

/** The answer to a question: what the command returned, or its error. */
export type Answer =
  | { [C in keyof Backend]: { readonly command: C; readonly data: Reply<C> } }[keyof Backend]
  | { readonly command: keyof Backend; readonly error: ApiError };

export const answers: readonly Answer[] = [
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {
        "brief": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "critique": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "refine",
          "problems": 0,
          "modelCalls": true
        },
        "exit": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "final": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "refine": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "revise": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "refine",
          "problems": 0,
          "modelCalls": true
        }
      },
      "regions": [
        {
          "start": "refine",
          "end": "exit",
          "repeats": "loop",
          "body": ["revise","critique"],
          "core": ["revise","critique"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["e6"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 15,
        "perIteration": 3,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 15 calls",
        "note": "up to 15 calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "empty_region",
          "severity": "error",
          "node": "search_loop",
          "place": null,
          "message": "\"Search until enough\" has an empty body, so there is nothing to repeat. Wire its `body` handle to the first node of the body, and the last one to \"Exit\".",
          "fix": null
        },
        {
          "code": "bad_reference",
          "severity": "error",
          "node": "plan",
          "place": "prompt",
          "span": {"from":42,"to":50},
          "message": "Template of \"Plan search\" refers to \"question\": \"Question\" does not come before this node. Wire a path from \"Question\" to this node, or read an earlier node.",
          "fix": null
        },
        {
          "code": "bad_reference",
          "severity": "error",
          "node": "enough",
          "place": "prompt",
          "span": {"from":7,"to":15},
          "message": "Template of \"Enough?\" refers to \"question\": \"Question\" does not come before this node. Wire a path from \"Question\" to this node, or read an earlier node.",
          "fix": null
        },
        {
          "code": "not_wired",
          "severity": "error",
          "node": "missing",
          "place": "template",
          "span": {"from":18,"to":23},
          "message": "Template of \"What’s missing\" refers to \"input\": nothing is wired to its main input. Wire a value to it.",
          "fix": null
        },
        {
          "code": "unused_branch",
          "severity": "warning",
          "node": "enough",
          "place": "done",
          "message": "Branch `done` of \"Enough?\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
          "fix": null
        },
        {
          "code": "unused_branch",
          "severity": "warning",
          "node": "enough",
          "place": "continue",
          "message": "Branch `continue` of \"Enough?\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
          "fix": null
        },
        {
          "code": "nothing_wired",
          "severity": "warning",
          "node": "answer",
          "place": "value",
          "message": "Nothing is wired to \"Answer\", so it gives no value. Wire a result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "answer": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "enough": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "plain",
          "region": null,
          "problems": 3,
          "modelCalls": true
        },
        "exit": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "missing": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "plan": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        },
        "question": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search_loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "search_loop",
          "end": null,
          "repeats": "loop",
          "body": [],
          "core": [],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 3,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 3 calls",
        "note": "up to 3 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {
        "answer": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "enough": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "exit": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "missing": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "plan": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "question": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "search_loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "search_loop",
          "end": "exit",
          "repeats": "loop",
          "body": ["plan","search","enough","missing"],
          "core": ["plan","search","enough"],
          "tail": ["missing"],
          "leaves": [],
          "feedbackEdges": ["e7"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 15,
        "perIteration": 3,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 15 calls",
        "note": "up to 15 calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "search_loop",
          "place": null,
          "message": "\"Search until enough\" has no Exit, so its body has no end. Add an Exit after the last node of the body.",
          "fix": {
            "title": "Add Exit",
            "edits": [
              {"op":"add_node","node":{"id":"exit","type":"exit","position":{"x":510,"y":440},"data":{}}},
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-enough-exit",
                  "source": "enough",
                  "sourceHandle": "done",
                  "target": "exit",
                  "targetHandle": "input"
                }
              },
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-exit-answer",
                  "source": "exit",
                  "sourceHandle": "output",
                  "target": "answer",
                  "targetHandle": "value"
                }
              }
            ]
          }
        },
        {
          "code": "dangling_edge",
          "severity": "error",
          "node": "enough",
          "place": "edge:e5",
          "message": "The wire \"e5\" ends at \"exit\", but there is no such node. Remove it.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e5"}]}
        },
        {
          "code": "dangling_edge",
          "severity": "error",
          "node": "answer",
          "place": "edge:e8",
          "message": "The wire \"e8\" starts at \"exit\", but there is no such node. Remove it.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e8"}]}
        },
        {
          "code": "nothing_wired",
          "severity": "warning",
          "node": "answer",
          "place": "value",
          "message": "Nothing is wired to \"Answer\", so it gives no value. Wire a result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "answer": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": false
        },
        "enough": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 1,
          "modelCalls": true
        },
        "missing": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "plan": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "question": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "search_loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "search_loop",
          "end": null,
          "repeats": "loop",
          "body": ["plan","search","enough","missing"],
          "core": ["plan","search","enough","missing"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["e7"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 15,
        "perIteration": 3,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 15 calls",
        "note": "up to 15 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {
        "answer": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "enough": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "exit": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "missing": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "plan": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "question": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "search_loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "search_loop",
          "end": "exit",
          "repeats": "loop",
          "body": ["plan","search","enough","missing"],
          "core": ["plan","search","enough"],
          "tail": ["missing"],
          "leaves": [],
          "feedbackEdges": ["e7"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 15,
        "perIteration": 3,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 15 calls",
        "note": "up to 15 calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {
        "answer": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "enough": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "exit": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "missing": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "plan": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": true
        },
        "question": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "search": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "search_loop",
          "problems": 0,
          "modelCalls": false
        },
        "search_loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "search_loop",
          "end": "exit",
          "repeats": "loop",
          "body": ["plan","search","enough","missing"],
          "core": ["plan","search","enough"],
          "tail": ["missing"],
          "leaves": [],
          "feedbackEdges": ["e7"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 15,
        "perIteration": 3,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 15 calls",
        "note": "up to 15 calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "q": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 0,
        "perIteration": null,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {},
      "regions": [],
      "estimate": {
        "maxCalls": 0,
        "perIteration": null,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "draft",
          "place": "prompt",
          "message": "\"Draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "look",
          "place": "prompt",
          "message": "\"Critique\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "draft": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        },
        "look": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 2,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 2 calls",
        "note": "up to 2 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [],
      "nodes": {},
      "regions": [],
      "estimate": {
        "maxCalls": 0,
        "perIteration": null,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_reference",
          "severity": "error",
          "node": "join",
          "place": "template",
          "span": {"from":6,"to":11},
          "message": "Template of \"join\" refers to \"scroe\", but there is no such node. Name an earlier node, or one of this node's inputs.",
          "fix": null
        },
        {
          "code": "unknown_reference",
          "severity": "error",
          "node": "join",
          "place": "template",
          "span": {"from":22,"to":32},
          "message": "Template of \"join\" refers to \"darft\", but there is no such node. Name an earlier node, or one of this node's inputs.",
          "fix": null
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "sort",
          "place": "template",
          "message": "\"sort\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "unknown_field",
          "severity": "warning",
          "node": "sort",
          "place": "branches",
          "message": "`branches` of \"sort\" isn't a known field. It is kept but has no effect.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "join": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": false
        },
        "sort": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": false
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 0,
        "perIteration": null,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[0].when",
          "message": "Branch `done` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[1].when",
          "message": "Branch `more` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "unreachable_done",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "\"loop\" stops when a value reaches \"end\". That never happens, because branch `done` of \"judge\" is never taken. Give that branch a condition that can be true, and put it before any branch that is always taken.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"more","label":"more","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["3"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[0].when",
          "message": "Branch `done` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[1].when",
          "message": "Branch `more` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"loop\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"more","label":"more","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["3"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[0].when",
          "message": "Branch `done` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[1].when",
          "message": "Branch `more` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"more","label":"more","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["3"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[0].when",
          "message": "Branch `done` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge",
          "place": "branches[1].when",
          "message": "Branch `more` of \"judge\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"loop\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"more","label":"more","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "role": "core",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["3"],
          "maxIterations": 5,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "empty_region",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has an empty body, so there is nothing to repeat. Wire its `body` handle to the first node of the body.",
          "fix": null
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": [],
          "core": [],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_handle",
          "severity": "error",
          "node": "more",
          "place": "edge:y",
          "message": "\"more\" has no input handle \"extra\". It has input.",
          "fix": {
            "title": "Wire it to input",
            "edits": [
              {
                "op": "update_edge",
                "edge": {"id":"y","source":"in","sourceHandle":"value","target":"more","targetHandle":"input"}
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_handle",
          "severity": "error",
          "node": "more",
          "place": "edge:y",
          "message": "\"more\" has no input handle \"extra\". It has input.",
          "fix": {
            "title": "Wire it to input",
            "edits": [
              {
                "op": "update_edge",
                "edge": {"id":"y","source":"in","sourceHandle":"value","target":"more","targetHandle":"input"}
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "evaluator_always_exits",
          "severity": "error",
          "node": "loop",
          "place": "exitCondition",
          "message": "\"Refine\" stops when a value reaches \"end\", but every path through the loop's body leads there, so it always stops after the first iteration. Put a Router, Validator, Check or Approval before \"end\" with a branch that leads elsewhere, or choose another exit condition.",
          "fix": null
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "tail_never_runs",
          "severity": "warning",
          "node": "more",
          "place": "edge:d",
          "message": "\"more\" can't send feedback to \"Refine\". It is on branch `continue` of \"judge\", and that branch leads to \"end\" and ends the loop. Move it to a branch that continues the loop.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Wire the last node of the body to \"end\".",
          "fix": {
            "title": "Wire Exit",
            "edits": [
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-judge-end",
                  "source": "judge",
                  "sourceHandle": "done",
                  "target": "end",
                  "targetHandle": "input"
                }
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge","more"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Wire the last node of the body to \"end\".",
          "fix": {
            "title": "Wire Exit",
            "edits": [
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-judge-end",
                  "source": "judge",
                  "sourceHandle": "done",
                  "target": "end",
                  "targetHandle": "input"
                }
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge","more"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Wire the last node of the body to \"end\".",
          "fix": {
            "title": "Wire Exit",
            "edits": [
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-judge-end",
                  "source": "judge",
                  "sourceHandle": "done",
                  "target": "end",
                  "targetHandle": "input"
                }
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge","more"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Wire the last node of the body to \"end\".",
          "fix": {
            "title": "Wire Exit",
            "edits": [
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-judge-end",
                  "source": "judge",
                  "sourceHandle": "done",
                  "target": "end",
                  "targetHandle": "input"
                }
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge","more"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Wire the last node of the body to \"end\".",
          "fix": {
            "title": "Wire Exit",
            "edits": [
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-judge-end",
                  "source": "judge",
                  "sourceHandle": "done",
                  "target": "end",
                  "targetHandle": "input"
                }
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "core",
          "region": "loop",
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge","more"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "feedback_from_outside",
          "severity": "error",
          "node": "loop",
          "place": "edge:d",
          "message": "The feedback of \"Refine\" comes from \"more\", which is not in its body. Feedback must come from a node between \"Refine\" and \"end\".",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"d"}]}
        },
        {
          "code": "evaluator_always_exits",
          "severity": "error",
          "node": "loop",
          "place": "exitCondition",
          "message": "\"Refine\" stops when a value reaches \"end\", but every path through the loop's body leads there, so it always stops after the first iteration. Put a Router, Validator, Check or Approval before \"end\" with a branch that leads elsewhere, or choose another exit condition.",
          "fix": null
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 2,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge2",
          "place": "branches[0].when",
          "message": "Branch `done` of \"judge2\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "missing_condition",
          "severity": "error",
          "node": "judge2",
          "place": "branches[1].when",
          "message": "Branch `continue` of \"judge2\" has no condition, so it can never be taken. Enter an expression, make it the fallback, or choose another mode.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge2\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge2": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 2,
          "modelCalls": false
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge2"],
          "core": ["judge2"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 0,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_handle",
          "severity": "error",
          "node": "more",
          "place": "edge:y",
          "message": "\"more\" has no input handle \"extra\". It has input.",
          "fix": {
            "title": "Wire it to input",
            "edits": [
              {
                "op": "update_edge",
                "edge": {"id":"y","source":"in","sourceHandle":"value","target":"more","targetHandle":"input"}
              }
            ]
          }
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "refine",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"refine","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "refine",
          "problems": 0,
          "modelCalls": true
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "tail",
          "region": "refine",
          "problems": 2,
          "modelCalls": false
        },
        "refine": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "refine",
          "end": "end",
          "repeats": "loop",
          "body": ["judge","more"],
          "core": ["judge"],
          "tail": ["more"],
          "leaves": [],
          "feedbackEdges": ["d"],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "n0",
          "place": "prompt",
          "message": "\"n0\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "n0": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        },
        "n1": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n10": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n11": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n12": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n13": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n14": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n15": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n2": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n3": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n4": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n5": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n6": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n7": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n8": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n9": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 16,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 16 calls",
        "note": "up to 16 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "n0",
          "place": "prompt",
          "message": "\"n0\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "n0": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        },
        "n1": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n10": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n11": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n12": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n13": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n14": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n15": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n2": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n3": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n4": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n5": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n6": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n7": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n8": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "n9": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 16,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 16 calls",
        "note": "up to 16 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_kind",
          "severity": "error",
          "node": "x",
          "place": "type",
          "message": "\"x\" is of type \"hologram\", which Loopwright doesn't know. Replace it with one of input, output, llm, agent, router, transform, validator, check, approval, tool, loop, exit, iterator, aggregator, subflow, note, or disable it to pass its input on.",
          "fix": null
        },
        {
          "code": "dangling_edge",
          "severity": "error",
          "node": "y",
          "place": "edge:e3",
          "message": "The wire \"e3\" starts at \"gone\", but there is no such node. Remove it.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e3"}]}
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "y",
          "place": "name",
          "message": "The output \"y\" has no name, so its id \"y\" is used. Give it a name.",
          "fix": null
        }
      ],
      "nodes": {
        "x": {"inputs":[],"outputs":[],"role":"plain","region":null,"problems":1,"modelCalls":false},
        "y": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": false
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 0,
        "perIteration": null,
        "agentTurns": 0,
        "usd": 0.0,
        "counts": "no model calls",
        "note": "no model calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "several_values",
          "severity": "error",
          "node": "llm",
          "place": "prompt",
          "message": "`prompt` of \"llm\" gets values from \"a\" and \"b\" in the same run, but takes only one. Give each value its own input, put an Aggregator before this input, or let a Router choose between them.",
          "fix": {
            "title": "Give each value its own input",
            "edits": [
              {"op":"set_data","node":"llm","field":"inputs","value":["b"]},
              {
                "op": "update_edge",
                "edge": {"id":"second","source":"b","sourceHandle":"value","target":"llm","targetHandle":"b"}
              }
            ]
          }
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "a",
          "place": "name",
          "message": "The input \"a\" has no name, so its id \"a\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "b",
          "place": "name",
          "message": "The input \"b\" has no name, so its id \"b\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "a": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "b": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "llm": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": true
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 1,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 1 call",
        "note": "up to 1 call"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "a",
          "place": "name",
          "message": "The input \"a\" has no name, so its id \"a\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "b",
          "place": "name",
          "message": "The input \"b\" has no name, so its id \"b\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "a": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "b": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "llm": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 1,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 1 call",
        "note": "up to 1 call"
      },
      "runnable": true
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "unknown_handle",
          "severity": "error",
          "node": "route",
          "place": "edge:route.done-out.value",
          "message": "\"route\" has no output handle \"done\". It has none. Remove the wire.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"route.done-out.value"}]}
        },
        {
          "code": "missing_branches",
          "severity": "error",
          "node": "route",
          "place": "branches",
          "message": "\"route\" has no branches. Add at least one, such as `done`.",
          "fix": null
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "text",
          "place": "name",
          "message": "The input \"text\" has no name, so its id \"text\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "out",
          "place": "name",
          "message": "The output \"out\" has no name, so its id \"out\" is used. Give it a name.",
          "fix": null
        },
        {
          "code": "missing_name",
          "severity": "warning",
          "node": "other",
          "place": "name",
          "message": "The output \"other\" has no name, so its id \"other\" is used. Give it a name.",
          "fix": null
        }
      ],
      "nodes": {
        "draft": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "other": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "out": {
          "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "polish": {
          "inputs": [
            {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
            {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
            {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
          ],
          "outputs": [
            {
              "name": "response",
              "label": "response",
              "valueType": "text",
              "primary": true,
              "many": false,
              "always": false
            },
            {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
          ],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": true
        },
        "route": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": false
        },
        "text": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [],
      "estimate": {
        "maxCalls": 2,
        "perIteration": null,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 2 calls",
        "note": "up to 2 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "exit_ignored",
          "severity": "warning",
          "node": "loop",
          "place": "exitCondition",
          "message": "Branch `done` of \"judge\" leads to \"end\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
          "fix": {
            "title": "Stop when `done` is taken",
            "edits": [{"op":"set_data","node":"loop","field":"exitCondition","value":"evaluator"}]
          }
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "core",
          "region": "loop",
          "problems": 0,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": "end",
          "repeats": "loop",
          "body": ["judge"],
          "core": ["judge"],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 6,
        "perIteration": 2,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 6 calls",
        "note": "up to 6 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "analyze",
    "data": {
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has no Exit, so its body has no end. Add an Exit after the last node of the body.",
          "fix": null
        },
        {
          "code": "empty_region",
          "severity": "error",
          "node": "loop",
          "place": null,
          "message": "\"Refine\" has an empty body, so there is nothing to repeat. Wire its `body` handle to the first node of the body.",
          "fix": null
        },
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "judge",
          "place": "input",
          "message": "\"judge\" has no `input`. Wire a value to it.",
          "fix": null
        },
        {
          "code": "missing_template",
          "severity": "error",
          "node": "more",
          "place": "template",
          "message": "\"more\" has no template. Write one, such as `{{ input }}` to pass the input on.",
          "fix": null
        },
        {
          "code": "end_without_start",
          "severity": "error",
          "node": "end",
          "place": null,
          "message": "\"end\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
          "fix": null
        },
        {
          "code": "unused_branch",
          "severity": "warning",
          "node": "judge",
          "place": "continue",
          "message": "Branch `continue` of \"judge\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "nodes": {
        "end": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "exhausted",
              "label": "exhausted",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "end",
          "region": null,
          "problems": 1,
          "modelCalls": false
        },
        "in": {
          "inputs": [],
          "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 0,
          "modelCalls": false
        },
        "judge": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [
            {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
            {
              "name": "continue",
              "label": "continue",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "plain",
          "region": null,
          "problems": 2,
          "modelCalls": true
        },
        "loop": {
          "inputs": [
            {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "feedback",
              "label": "feedback",
              "valueType": "any",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "outputs": [
            {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
            {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
            {
              "name": "iterations",
              "label": "iterations",
              "valueType": "json",
              "primary": false,
              "many": false,
              "always": false
            },
            {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
            {
              "name": "exitReason",
              "label": "exitReason",
              "valueType": "text",
              "primary": false,
              "many": false,
              "always": false
            }
          ],
          "role": "start",
          "region": null,
          "problems": 2,
          "modelCalls": false
        },
        "more": {
          "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
          "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
          "role": "plain",
          "region": null,
          "problems": 1,
          "modelCalls": false
        }
      },
      "regions": [
        {
          "start": "loop",
          "end": null,
          "repeats": "loop",
          "body": [],
          "core": [],
          "tail": [],
          "leaves": [],
          "feedbackEdges": [],
          "maxIterations": 3,
          "depth": 0
        }
      ],
      "estimate": {
        "maxCalls": 2,
        "perIteration": 0,
        "agentTurns": 0,
        "usd": null,
        "counts": "up to 2 calls",
        "note": "up to 2 calls"
      },
      "runnable": false
    }
  },
  {
    "command": "backtest",
    "data": [
      {
        "policy": "cap=1",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 5.325,
        "interval": [5.125,5.5],
        "meanCostUsd": 0.000021,
        "meanIterations": 1.0,
        "exits": {"max_iterations":11},
        "onFront": true,
        "error": null
      },
      {
        "policy": "cap=2",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 6.525,
        "interval": [6.325,6.7],
        "meanCostUsd": 0.000042875,
        "meanIterations": 2.0,
        "exits": {"max_iterations":11},
        "onFront": true,
        "error": null
      },
      {
        "policy": "cap=3",
        "runs": 12,
        "known": 8,
        "censored": 4,
        "meanScore": 7.325,
        "interval": [7.125,7.5],
        "meanCostUsd": 0.00006475,
        "meanIterations": 3.0,
        "exits": {"max_iterations":8},
        "onFront": true,
        "error": null
      },
      {
        "policy": "cap=4",
        "runs": 12,
        "known": 5,
        "censored": 7,
        "meanScore": 7.68,
        "interval": [6.88,8.0],
        "meanCostUsd": 0.0000824,
        "meanIterations": 4.0,
        "exits": {"max_iterations":5},
        "onFront": false,
        "error": null
      },
      {
        "policy": "cap=5",
        "runs": 12,
        "known": 4,
        "censored": 8,
        "meanScore": 7.8,
        "interval": [7.1,8.149999999999999],
        "meanCostUsd": 0.0001055,
        "meanIterations": 5.0,
        "exits": {"max_iterations":4},
        "onFront": false,
        "error": null
      },
      {
        "policy": "cap=6",
        "runs": 12,
        "known": 0,
        "censored": 12,
        "meanScore": null,
        "interval": null,
        "meanCostUsd": null,
        "meanIterations": null,
        "exits": {},
        "onFront": false,
        "error": null
      },
      {
        "policy": "stable=0.9,patience=1,cap=6",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 6.525,
        "interval": [6.325,6.7],
        "meanCostUsd": 0.000042875,
        "meanIterations": 2.0,
        "exits": {"stable_output":11},
        "onFront": true,
        "error": null
      },
      {
        "policy": "stable=0.9,patience=2,cap=6",
        "runs": 12,
        "known": 8,
        "censored": 4,
        "meanScore": 7.325,
        "interval": [7.125,7.5],
        "meanCostUsd": 0.00006475,
        "meanIterations": 3.0,
        "exits": {"stable_output":8},
        "onFront": true,
        "error": null
      },
      {
        "policy": "stable=0.95,patience=1,cap=6",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 6.525,
        "interval": [6.325,6.7],
        "meanCostUsd": 0.000042875,
        "meanIterations": 2.0,
        "exits": {"stable_output":11},
        "onFront": true,
        "error": null
      },
      {
        "policy": "stable=0.95,patience=2,cap=6",
        "runs": 12,
        "known": 8,
        "censored": 4,
        "meanScore": 7.325,
        "interval": [7.125,7.5],
        "meanCostUsd": 0.00006475,
        "meanIterations": 3.0,
        "exits": {"stable_output":8},
        "onFront": true,
        "error": null
      },
      {
        "policy": "stable=0.98,patience=1,cap=6",
        "runs": 12,
        "known": 2,
        "censored": 10,
        "meanScore": 6.2,
        "interval": [6.2,6.2],
        "meanCostUsd": 0.00005599999999999999,
        "meanIterations": 2.0,
        "exits": {"stable_output":2},
        "onFront": false,
        "error": null
      },
      {
        "policy": "stable=0.98,patience=2,cap=6",
        "runs": 12,
        "known": 2,
        "censored": 10,
        "meanScore": 7.0,
        "interval": [7.0,7.0],
        "meanCostUsd": 0.0000845,
        "meanIterations": 3.0,
        "exits": {"stable_output":2},
        "onFront": false,
        "error": null
      },
      {
        "policy": "plateau=0.1,patience=2,cap=6",
        "runs": 12,
        "known": 0,
        "censored": 4,
        "meanScore": null,
        "interval": null,
        "meanCostUsd": null,
        "meanIterations": null,
        "exits": {},
        "onFront": false,
        "error": "The loop has no score in iteration 3."
      },
      {
        "policy": "plateau=0.3,patience=2,cap=6",
        "runs": 12,
        "known": 0,
        "censored": 4,
        "meanScore": null,
        "interval": null,
        "meanCostUsd": null,
        "meanIterations": null,
        "exits": {},
        "onFront": false,
        "error": "The loop has no score in iteration 3."
      }
    ]
  },
  {
    "command": "backtest",
    "data": [
      {
        "policy": "cap=2",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 6.5636363636363635,
        "interval": [6.4,6.6909090909090905],
        "meanCostUsd": 0.00004127272727272727,
        "meanIterations": 2.0,
        "exits": {"max_iterations":11},
        "onFront": true,
        "error": null
      },
      {
        "policy": "best=9",
        "runs": 12,
        "known": 0,
        "censored": 0,
        "meanScore": null,
        "interval": null,
        "meanCostUsd": null,
        "meanIterations": null,
        "exits": {},
        "onFront": false,
        "error": "`best=9` is not part of a policy. Use `cap=`, `min=`, `patience=`, and one of `evaluator`, `stable=`, `plateau=`, `score>=` and `condition=`."
      }
    ]
  },
  {
    "command": "backtest",
    "data": [
      {
        "policy": "cap=2",
        "runs": 12,
        "known": 11,
        "censored": 1,
        "meanScore": 6.5636363636363635,
        "interval": [6.4,6.6909090909090905],
        "meanCostUsd": 0.00004127272727272727,
        "meanIterations": 2.0,
        "exits": {"max_iterations":11},
        "onFront": true,
        "error": null
      }
    ]
  },
  {"command":"checkEvaluation","data":[]},
  {"command":"checkEvaluation","data":[]},
  {
    "command": "checkEvaluation",
    "data": [
      {
        "place": "scorers",
        "message": "The evaluation has no scorer. Add one, such as { \"name\": \"exact\", \"type\": \"exact\" }."
      },
      {"place":"primary","message":"There is no scorer `judge`. There are no scorers."}
    ]
  },
  {"command":"checkEvaluation","data":[]},
  {"command":"checkEvaluation","data":[]},
  {"command":"checkEvaluation","data":[]},
  {
    "command": "checkEvaluation",
    "data": [{"place":"scorers[1].pattern","message":"The pattern of the scorer `not empty` is empty. Fill it in."}]
  },
  {"command":"checkEvaluation","data":[]},
  {"command":"checkEvaluation","data":[]},
  {
    "command": "checkEvaluation",
    "data": [
      {
        "place": "data.inputs",
        "message": "`data.inputs` names `tone`, which is not an input of the flow. Inputs: brief."
      }
    ]
  },
  {"command":"checkEvaluation","data":[]},
  {"command":"checkEvaluation","data":[]},
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [
        {"label":"Method","values":["POST"]},
        {"label":"Address","values":["https://api.example.org/a"]},
        {"label":"Headers","values":["content-type: application/json"]},
        {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
        {"label":"Body","values":["{\"size\":3}"]}
      ],
      "problem": null
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [
        {"label":"Method","values":["POST"]},
        {"label":"Address","values":["https://api.example.org/a"]},
        {"label":"Headers","values":["content-type: application/json"]},
        {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
        {"label":"Body","values":["{\"size\":3}"]}
      ],
      "problem": null
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [],
      "problem": "`url` of http.request must be a complete address such as https://example.org/data."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [
        {"label":"Method","values":["POST"]},
        {"label":"Address","values":["https://api.example.org/a"]},
        {"label":"Headers","values":["content-type: application/json"]},
        {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
        {"label":"Body","values":["{\"size\":3}"]}
      ],
      "problem": null
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [
        {"label":"Method","values":["POST"]},
        {"label":"Address","values":["https://api.example.org/b"]},
        {"label":"Headers","values":["content-type: application/json"]},
        {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
        {"label":"Body","values":["{\"size\":3}"]}
      ],
      "problem": null
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [{"label":"Method","values":["POST"]},{"label":"Address","values":["https://example.org/"]}],
      "problem": null
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "estimate",
    "data": {
      "maxCalls": 1,
      "maxUsd": null,
      "maxTokens": null,
      "agentTurns": 0,
      "unknown": ["\"draft\" has no maxTokens, so the length of its answer is not limited."],
      "unbounded": [{"place":"draft","title":"draft"}],
      "note": "at most 1 call, cost unknown"
    }
  },
  {
    "command": "estimate",
    "data": {
      "maxCalls": 2,
      "maxUsd": null,
      "maxTokens": null,
      "agentTurns": 0,
      "unknown": ["\"Router\" has no maxTokens, so the length of its answer is not limited."],
      "unbounded": [{"place":"judge","title":"Router"}],
      "note": "at most 2 calls, cost unknown"
    }
  },
  {
    "command": "estimate",
    "data": {
      "maxCalls": 2,
      "maxUsd": null,
      "maxTokens": null,
      "agentTurns": 0,
      "unknown": ["\"judge\" has no maxTokens, so the length of its answer is not limited."],
      "unbounded": [{"place":"judge","title":"judge"}],
      "note": "at most 2 calls, cost unknown"
    }
  },
  {
    "command": "estimate",
    "data": {
      "maxCalls": 1,
      "maxUsd": null,
      "maxTokens": null,
      "agentTurns": 0,
      "unknown": ["\"Draft\" has no maxTokens, so the length of its answer is not limited."],
      "unbounded": [{"place":"draft","title":"Draft"}],
      "note": "at most 1 call, cost unknown"
    }
  },
  {
    "command": "estimate",
    "data": {
      "maxCalls": null,
      "maxUsd": null,
      "maxTokens": null,
      "agentTurns": null,
      "unknown": ["The flow has errors. \"judge\" has no branches. Add at least one, such as `done`."],
      "unbounded": [],
      "note": "cost unknown"
    }
  },
  {
    "command": "estimateEvaluation",
    "data": {
      "runs": 36,
      "maxUsd": null,
      "maxCalls": null,
      "words": "36 runs, cost unknown. A model also judges each result, once for each of these scorers: judge. The budget is $5."
    }
  },
  {
    "command": "estimateEvaluation",
    "data": {
      "runs": 36,
      "maxUsd": 0.143712,
      "maxCalls": 168,
      "words": "36 runs, at most 168 calls and $0.14. The budget is $5."
    }
  },
  {
    "command": "exportLanggraph",
    "data": [
      {
        "outcome": "approximated",
        "place": "draft.builtin",
        "node": "draft",
        "message": "the built-in model `reviser` is part of Loopwright, so the program calls MODEL instead"
      }
    ]
  },
  {"command":"exportLanggraph","data":[]},
  {
    "command": "exportLanggraph",
    "error": {
      "code": "invalid_flow",
      "message": "The flow has errors and cannot be exported: \"draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "exportLanggraph",
    "error": {
      "code": "invalid_flow",
      "message": "The flow has errors and cannot be exported: The wire \"e\" ends at \"nobody\", but there is no such node. Remove it.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "exportLanggraph",
    "error": {
      "code": "invalid_flow",
      "message": "The flow has errors and cannot be exported: The wire \"e\" ends at \"nobody\", but there is no such node. Remove it.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "exportLanggraph",
    "error": {
      "code": "invalid_flow",
      "message": "The flow has errors and cannot be exported: The wire \"e\" ends at \"nobody\", but there is no such node. Remove it. \"draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "grants",
    "data": {"flow":"/flows/self-refine.loop","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  {
    "command": "grants",
    "data": {"flow":"content:64ff5998d3f933fd","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  {"command":"grants","data":{"flow":"/f.json","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}},
  {
    "command": "grants",
    "data": {"flow":"content:d53d18c23212ea7b","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  {
    "command": "grants",
    "data": {"flow":"content:b21cb489737bc39e","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  {
    "command": "importFlow",
    "error": {
      "code": "unknown_format",
      "message": "Line 1: it reads “Dear all,”. Loopwright does not recognize the format. It imports Loop files (RALPH.md, LOOP.md, ralph.toml, ralph.yml), Loom or Logic Apps workflow, robomesh workflow with loop containers, TEA agents, AI Studio flows. If the file is one of these, choose its format (on the command line: --from with one of ralph, loom, containers, tea, aistudio).",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "counter",
        "nodes": [
          {
            "id": "State",
            "type": "input",
            "position": {"x":0,"y":50},
            "data": {
              "label": "State",
              "name": "state",
              "dataType": "json",
              "default": {},
              "description": "The initial state of the run."
            }
          },
          {
            "id": "Condition_of_count_loop",
            "type": "tool",
            "position": {"x":300,"y":50},
            "data": {
              "label": "Condition of count_loop",
              "tool": "script.python",
              "args": {
                "source": "def jinja_attr(value, name):\n    if isinstance(value, dict):\n        if name in (\"clear\", \"copy\", \"fromkeys\", \"get\", \"items\", \"keys\", \"pop\", \"popitem\", \"setdefault\", \"update\", \"values\"):\n            raise TypeError(\"`\" + name + \"` is a method of an object here, and not its field: write [\\\"\" + name + \"\\\"]\")\n        return value[name] if name in value else ...\n    if value is None:\n        return ...\n    raise TypeError(\"`\" + name + \"` is read from a value that is not an object: \" + type(value).__name__)\ndef jinja_dot(value, name):\n    if not isinstance(value, dict):\n        return jinja_attr(value, name)\n    if name in value:\n        return value[name]\n    if name in (\"get\", \"pop\", \"update\", \"copy\", \"clear\", \"setdefault\", \"keys\", \"values\", \"items\"):\n        raise TypeError(\"there is no field `\" + name + \"`, so it is read as a method\")\n    return None\nstate = input\nreturn {\"state\": state, \"test\": bool((jinja_dot(state, \"count\") < 3))}"
              }
            }
          },
          {
            "id": "count_loop",
            "type": "loop",
            "position": {"x":600,"y":50},
            "data": {
              "label": "count_loop",
              "maxIterations": 5,
              "exitCondition": "condition",
              "condition": {"while":"state.test","test":"before"},
              "feedbackMode": "replace",
              "inputName": "state"
            }
          },
          {
            "id": "State_of_count_loop",
            "type": "transform",
            "position": {"x":900,"y":50},
            "data": {"label":"State of count_loop","template":"{{ input.state }}"}
          },
          {
            "id": "Condition_after_count_loop",
            "type": "tool",
            "position": {"x":1200,"y":50},
            "data": {
              "label": "Condition after count_loop",
              "tool": "script.python",
              "args": {
                "source": "def jinja_attr(value, name):\n    if isinstance(value, dict):\n        if name in (\"clear\", \"copy\", \"fromkeys\", \"get\", \"items\", \"keys\", \"pop\", \"popitem\", \"setdefault\", \"update\", \"values\"):\n            raise TypeError(\"`\" + name + \"` is a method of an object here, and not its field: write [\\\"\" + name + \"\\\"]\")\n        return value[name] if name in value else ...\n    if value is None:\n        return ...\n    raise TypeError(\"`\" + name + \"` is read from a value that is not an object: \" + type(value).__name__)\ndef jinja_dot(value, name):\n    if not isinstance(value, dict):\n        return jinja_attr(value, name)\n    if name in value:\n        return value[name]\n    if name in (\"get\", \"pop\", \"update\", \"copy\", \"clear\", \"setdefault\", \"keys\", \"values\", \"items\"):\n        raise TypeError(\"there is no field `\" + name + \"`, so it is read as a method\")\n    return None\nstate = input\nreturn {\"state\": state, \"test\": bool((jinja_dot(state, \"count\") < 3))}"
              }
            }
          },
          {
            "id": "End_of_count_loop",
            "type": "exit",
            "position": {"x":1500,"y":50},
            "data": {"label":"End of count_loop"}
          },
          {
            "id": "State_of_count_loop_2",
            "type": "transform",
            "position": {"x":1850,"y":50},
            "data": {"label":"State of count_loop","template":"{{ input.state }}"}
          },
          {
            "id": "Final_state",
            "type": "output",
            "position": {"x":2150,"y":50},
            "data": {"label":"Final state","name":"state","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"State","target":"Condition_of_count_loop","targetHandle":"input"},
          {"id":"e2","source":"Condition_of_count_loop","target":"count_loop","targetHandle":"input"},
          {
            "id": "e3",
            "source": "count_loop",
            "sourceHandle": "body",
            "target": "State_of_count_loop",
            "targetHandle": "input"
          },
          {
            "id": "e4",
            "source": "State_of_count_loop",
            "target": "Condition_after_count_loop",
            "targetHandle": "input"
          },
          {"id":"e5","source":"Condition_after_count_loop","target":"End_of_count_loop"},
          {"id":"e6","source":"End_of_count_loop","target":"State_of_count_loop_2","targetHandle":"input"},
          {"id":"e7","source":"State_of_count_loop_2","target":"Final_state"}
        ]
      },
      "report": {
        "format": "tea",
        "title": "TEA agents",
        "dialect": null,
        "assumed": false,
        "entries": [
          {
            "outcome": "ignored",
            "place": "nodes[0].body[0]",
            "node": null,
            "message": "“increment” does nothing and passes its input through."
          },
          {
            "outcome": "mapped",
            "place": "state",
            "node": "State",
            "message": "The state is an object that the wires carry. Each node's result is merged into it. The flow's input `state` is the initial state, and its output `state` is the final one."
          },
          {
            "outcome": "mapped",
            "place": "nodes[0]",
            "node": "count_loop",
            "message": "Continues while `state.count < 3` is true, at most 5 times; each iteration begins with the state of the previous one."
          }
        ]
      },
      "file_name": "counter.flow.json"
    }
  },
  {
    "command": "importFlow",
    "error": {
      "code": "unknown_format",
      "message": "Top level: it has “plan”. Loopwright does not recognize the format. It imports Loop files (RALPH.md, LOOP.md, ralph.toml, ralph.yml), Loom or Logic Apps workflow, robomesh workflow with loop containers, TEA agents, AI Studio flows. If the file is one of these, choose its format (on the command line: --from with one of ralph, loom, containers, tea, aistudio).",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "error": {
      "code": "invalid_flow",
      "message": "File: this file is not a TEA agent. A TEA agent is a YAML document with `nodes`, each with a `name`.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "error": {
      "code": "unknown_format",
      "message": "Top level: it has “name”. Loopwright does not recognize the format. It imports Loop files (RALPH.md, LOOP.md, ralph.toml, ralph.yml), Loom or Logic Apps workflow, robomesh workflow with loop containers, TEA agents, AI Studio flows. If the file is one of these, choose its format (on the command line: --from with one of ralph, loom, containers, tea, aistudio).",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "error": {
      "code": "invalid_flow",
      "message": "Line 1, column 12: the file ends before its content is complete. Check that no part of the file is missing.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":50},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":0},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "say",
            "type": "transform",
            "position": {"x":300,"y":0},
            "data": {
              "label": "say",
              "template": "{{ {...input, \"outputs\": {...input.outputs, \"say\": \"A text.\"}} }}"
            }
          },
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":600,"y":0},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":900,"y":0},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"say"},
          {"id":"e2","source":"say","target":"outputs"},
          {"id":"e3","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "logic-apps: as requested",
        "assumed": false,
        "entries": [
          {
            "outcome": "mapped",
            "place": "actions.say",
            "node": "say",
            "message": "its value is computed and stored under the action's name"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested, as in the source; this is set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":50},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":0},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "say",
            "type": "transform",
            "position": {"x":300,"y":0},
            "data": {
              "label": "say",
              "template": "{{ {...input, \"outputs\": {...input.outputs, \"say\": \"A text.\"}} }}"
            }
          },
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":600,"y":0},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":900,"y":0},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"say"},
          {"id":"e2","source":"say","target":"outputs"},
          {"id":"e3","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "loom: as requested",
        "assumed": false,
        "entries": [
          {
            "outcome": "mapped",
            "place": "actions.say",
            "node": "say",
            "message": "its value is computed and stored under the action's name"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested, as in the source; this is set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":50},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":0},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "say",
            "type": "transform",
            "position": {"x":300,"y":0},
            "data": {
              "label": "say",
              "template": "{{ {...input, \"outputs\": {...input.outputs, \"say\": \"A text.\"}} }}"
            }
          },
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":600,"y":0},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":900,"y":0},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"say"},
          {"id":"e2","source":"say","target":"outputs"},
          {"id":"e3","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "loom: nothing in the file is specific to Logic Apps",
        "assumed": true,
        "entries": [
          {
            "outcome": "mapped",
            "place": "actions.say",
            "node": "say",
            "message": "its value is computed and stored under the action's name"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested, as in the source; this is set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":60},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":50},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "u",
            "type": "loop",
            "position": {"x":300,"y":50},
            "data": {
              "label": "u",
              "maxIterations": 60,
              "exitCondition": "condition",
              "limits": {"timeout":"PT1H"},
              "onLimit": "return",
              "condition": {"until":"result.tests[\"u\"]","test":"after"}
            }
          },
          {
            "id": "u_test",
            "type": "tool",
            "position": {"x":600,"y":50},
            "data": {
              "label": "u test",
              "tool": "expression.azure",
              "args": {"source":{"tests":{"u":"@true"}},"merge":true}
            }
          },
          {"id":"u_exit","type":"exit","position":{"x":900,"y":50},"data":{"label":"u, end"}},
          {
            "id": "w",
            "type": "loop",
            "position": {"x":1250,"y":50},
            "data": {
              "label": "w",
              "maxIterations": 60,
              "exitCondition": "condition",
              "limits": {"timeout":"PT1H"},
              "onLimit": "return",
              "condition": {"until":"result.tests[\"w\"]","test":"after"}
            }
          },
          {
            "id": "w_test",
            "type": "tool",
            "position": {"x":1550,"y":50},
            "data": {
              "label": "w test",
              "tool": "expression.azure",
              "args": {"source":{"tests":{"w":"@true"}},"merge":true}
            }
          },
          {"id":"w_exit","type":"exit","position":{"x":1850,"y":50},"data":{"label":"w, end"}},
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":2200,"y":50},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":2500,"y":50},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"u"},
          {"id":"e2","source":"u","sourceHandle":"body","target":"u_test"},
          {"id":"e3","source":"u_test","target":"u_exit"},
          {"id":"e4","source":"u_exit","target":"w"},
          {"id":"e5","source":"w","sourceHandle":"body","target":"w_test"},
          {"id":"e6","source":"w_test","target":"w_exit"},
          {"id":"e7","source":"w_exit","target":"outputs"},
          {"id":"e8","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "logic-apps: as requested",
        "assumed": false,
        "entries": [
          {
            "outcome": "mapped",
            "place": "actions.u.limit",
            "node": null,
            "message": "60 iterations and a timeout of PT1H: the source's default, because the file sets no limit"
          },
          {
            "outcome": "mapped",
            "place": "actions.w.limit",
            "node": null,
            "message": "60 iterations and a timeout of PT1H: the source's default, because the file sets no limit"
          },
          {
            "outcome": "mapped",
            "place": "actions.u",
            "node": "u",
            "message": "a Loop; its condition is evaluated after each pass, as in Logic Apps. Loom evaluates it before each pass: import with --dialect loom for that"
          },
          {
            "outcome": "mapped",
            "place": "actions.w",
            "node": "w",
            "message": "a Loop; its condition is evaluated after each pass, as in Logic Apps. Loom evaluates it before each pass: import with --dialect loom for that"
          },
          {
            "outcome": "mapped",
            "place": "actions.u.limit",
            "node": "u",
            "message": "the run continues with the next action when the limit is reached, as in the source"
          },
          {
            "outcome": "mapped",
            "place": "actions.w.limit",
            "node": "w",
            "message": "the run continues with the next action when the limit is reached, as in the source"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested and may run 60 times, as in the source; both are set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {
    "command": "importFlow",
    "error": {
      "code": "ambiguous_dialect",
      "message": "Dialect: this file has `condition` in the until “w”, which Loom writes, and `expression` in the until “u”, which Logic Apps writes. An Until tests its condition before the first pass in Loom, and after it in Logic Apps. Choose the dialect (on the command line: --dialect loom or --dialect logic-apps).",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":60},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":0},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "until_done_2",
            "type": "placeholder",
            "position": {"x":300,"y":0},
            "data": {
              "label": "until done",
              "imported": {
                "from": "loom",
                "reason": "There is no function iterationIndex().",
                "source": {"type":"until","condition":"@greater(iterationIndex(), 1)","actions":{}}
              }
            }
          },
          {
            "id": "Keep_until_done",
            "type": "transform",
            "position": {"x":600,"y":0},
            "data": {
              "label": "Keep until done",
              "template": "{{ {...input, \"outputs\": {...input.outputs, \"until done\": reply}} }}",
              "inputs": ["reply"]
            }
          },
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":900,"y":0},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":1200,"y":0},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"until_done_2"},
          {"id":"e2","source":"start","target":"Keep_until_done"},
          {"id":"e3","source":"until_done_2","target":"Keep_until_done","targetHandle":"reply"},
          {"id":"e4","source":"Keep_until_done","target":"outputs"},
          {"id":"e5","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "logic-apps: as requested",
        "assumed": false,
        "entries": [
          {
            "outcome": "placeholder",
            "place": "actions.until done",
            "node": "until_done_2",
            "message": "kept unchanged: There is no function iterationIndex().. A run that reaches this node fails. Replace the node with one that does the same"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested and may run 60 times, as in the source; both are set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {
    "command": "importFlow",
    "data": {
      "document": {
        "schemaVersion": 1,
        "name": "Imported workflow",
        "settings": {"allowNestedLoops":true,"maxIterationsCeiling":60},
        "nodes": [
          {
            "id": "start",
            "type": "transform",
            "position": {"x":0,"y":0},
            "data": {
              "label": "Start",
              "template": "{{ {\"parameters\": {}, \"trigger\": {\"body\": null}, \"variables\": {}, \"now\": null, \"workflow\": {\"name\": \"workflow\"}, \"actions\": {}, \"outputs\": {}, \"status\": {}, \"items\": {}, \"indexes\": {}, \"lists\": {}, \"results\": {}, \"tests\": {}, \"args\": {}} }}"
            }
          },
          {
            "id": "until_done_2",
            "type": "placeholder",
            "position": {"x":300,"y":0},
            "data": {
              "label": "until done",
              "imported": {
                "from": "loom",
                "reason": "There is no function iterationIndex().",
                "source": {"type":"until","condition":"@greater(iterationIndex(), 1)","actions":{}}
              }
            }
          },
          {
            "id": "Keep_until_done",
            "type": "transform",
            "position": {"x":600,"y":0},
            "data": {
              "label": "Keep until done",
              "template": "{{ {...input, \"outputs\": {...input.outputs, \"until done\": reply}} }}",
              "inputs": ["reply"]
            }
          },
          {
            "id": "outputs",
            "type": "transform",
            "position": {"x":900,"y":0},
            "data": {"label":"Outputs","template":"{{ input.outputs }}"}
          },
          {
            "id": "out_result",
            "type": "output",
            "position": {"x":1200,"y":0},
            "data": {"label":"result","name":"result","format":"json"}
          }
        ],
        "edges": [
          {"id":"e1","source":"start","target":"until_done_2"},
          {"id":"e2","source":"start","target":"Keep_until_done"},
          {"id":"e3","source":"until_done_2","target":"Keep_until_done","targetHandle":"reply"},
          {"id":"e4","source":"Keep_until_done","target":"outputs"},
          {"id":"e5","source":"outputs","target":"out_result"}
        ]
      },
      "report": {
        "format": "loom",
        "title": "Loom or Logic Apps workflow",
        "dialect": "loom: `condition` in the until “until done”, which Loom writes",
        "assumed": false,
        "entries": [
          {
            "outcome": "placeholder",
            "place": "actions.until done",
            "node": "until_done_2",
            "message": "kept unchanged: There is no function iterationIndex().. A run that reaches this node fails. Replace the node with one that does the same"
          },
          {
            "outcome": "mapped",
            "place": "settings",
            "node": null,
            "message": "loops may be nested and may run 60 times, as in the source; both are set in the workflow's settings"
          }
        ]
      },
      "file_name": "Imported-workflow.flow.json"
    }
  },
  {"command":"namesInScope","data":{"mode":"template","names":[],"from":null}},
  {"command":"namesInScope","data":{"mode":"template","names":[],"from":null}},
  {"command":"namesInScope","data":{"mode":"script","names":[],"from":null}},
  {"command":"namesInScope","data":{"mode":"script","names":[],"from":null}},
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the input of the next iteration",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "vars.a",
          "group": "variable",
          "valueType": "any",
          "description": "a variable of \"l\"",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        }
      ],
      "from": null
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the input of the next iteration",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        }
      ],
      "from": null
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "template",
      "names": [
        {
          "written": "result",
          "group": "input",
          "valueType": "any",
          "description": "this iteration's result",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the input of this iteration",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "vars.n",
          "group": "variable",
          "valueType": "any",
          "description": "a variable of \"l\"",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": null,
          "fields": []
        }
      ],
      "from": null
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the value at input \"input\"",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": "2",
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": "1",
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": "2026-01-01T00:00:00.000Z",
          "fields": []
        },
        {
          "written": "topic",
          "group": "node",
          "valueType": "text",
          "description": "the output of topic",
          "node": "topic",
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        },
        {
          "written": "draft",
          "group": "node",
          "valueType": "text",
          "description": "the output of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "draft.usage",
          "group": "node",
          "valueType": "json",
          "description": "\"usage\" of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "{\"calls\":1,\"inputTokens\":4,\"outputTokens\":2,\"costUsd\":5e-6,\"cachedTokens\":0,\"rea…",
          "fields": [
            {"written":"draft.usage.calls","last":"1"},
            {"written":"draft.usage.inputTokens","last":"4"},
            {"written":"draft.usage.outputTokens","last":"2"},
            {"written":"draft.usage.costUsd","last":"5e-6"},
            {"written":"draft.usage.cachedTokens","last":"0"},
            {"written":"draft.usage.reasoningTokens","last":"0"}
          ]
        },
        {
          "written": "previous.draft",
          "group": "previous",
          "valueType": "text",
          "description": "the output of draft in the previous iteration, null at first",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "previous.judge",
          "group": "previous",
          "valueType": "json",
          "description": "the output of judge in the previous iteration, null at first",
          "node": "judge",
          "mayBeMissing": false,
          "last": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is tr…",
          "fields": [
            {"written":"previous.judge.selectedBranch","last":"continue"},
            {"written":"previous.judge.value","last":"draft 1"},
            {"written":"previous.judge.reason","last":"fallback: no rule is true"}
          ]
        },
        {
          "written": "run.inputs.topic",
          "group": "run",
          "valueType": "any",
          "description": "the run's input \"topic\"",
          "node": null,
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        }
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the value at input \"input\"",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": "2",
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": "1",
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": "2026-01-01T00:00:00.000Z",
          "fields": []
        },
        {
          "written": "topic",
          "group": "node",
          "valueType": "text",
          "description": "the output of topic",
          "node": "topic",
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        },
        {
          "written": "draft",
          "group": "node",
          "valueType": "text",
          "description": "the output of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "draft.usage",
          "group": "node",
          "valueType": "json",
          "description": "\"usage\" of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "{\"calls\":1,\"inputTokens\":4,\"outputTokens\":2,\"costUsd\":5e-6,\"cachedTokens\":0,\"rea…",
          "fields": [
            {"written":"draft.usage.calls","last":"1"},
            {"written":"draft.usage.inputTokens","last":"4"},
            {"written":"draft.usage.outputTokens","last":"2"},
            {"written":"draft.usage.costUsd","last":"5e-6"},
            {"written":"draft.usage.cachedTokens","last":"0"},
            {"written":"draft.usage.reasoningTokens","last":"0"}
          ]
        },
        {
          "written": "previous.draft",
          "group": "previous",
          "valueType": "text",
          "description": "the output of draft in the previous iteration, null at first",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "previous.judge",
          "group": "previous",
          "valueType": "json",
          "description": "the output of judge in the previous iteration, null at first",
          "node": "judge",
          "mayBeMissing": false,
          "last": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is tr…",
          "fields": [
            {"written":"previous.judge.selectedBranch","last":"continue"},
            {"written":"previous.judge.value","last":"draft 1"},
            {"written":"previous.judge.reason","last":"fallback: no rule is true"}
          ]
        },
        {
          "written": "run.inputs.topic",
          "group": "run",
          "valueType": "any",
          "description": "the run's input \"topic\"",
          "node": null,
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        }
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the value at input \"input\"",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": "2",
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": "1",
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": "2026-01-01T00:00:00.000Z",
          "fields": []
        },
        {
          "written": "topic",
          "group": "node",
          "valueType": "text",
          "description": "the output of topic",
          "node": "topic",
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        },
        {
          "written": "draft",
          "group": "node",
          "valueType": "text",
          "description": "the output of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "draft.usage",
          "group": "node",
          "valueType": "json",
          "description": "\"usage\" of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "{\"calls\":1,\"inputTokens\":4,\"outputTokens\":2,\"costUsd\":5e-6,\"cachedTokens\":0,\"rea…",
          "fields": [
            {"written":"draft.usage.calls","last":"1"},
            {"written":"draft.usage.inputTokens","last":"4"},
            {"written":"draft.usage.outputTokens","last":"2"},
            {"written":"draft.usage.costUsd","last":"5e-6"},
            {"written":"draft.usage.cachedTokens","last":"0"},
            {"written":"draft.usage.reasoningTokens","last":"0"}
          ]
        },
        {
          "written": "previous.draft",
          "group": "previous",
          "valueType": "text",
          "description": "the output of draft in the previous iteration, null at first",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "previous.judge",
          "group": "previous",
          "valueType": "json",
          "description": "the output of judge in the previous iteration, null at first",
          "node": "judge",
          "mayBeMissing": false,
          "last": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is tr…",
          "fields": [
            {"written":"previous.judge.selectedBranch","last":"continue"},
            {"written":"previous.judge.value","last":"draft 1"},
            {"written":"previous.judge.reason","last":"fallback: no rule is true"}
          ]
        },
        {
          "written": "run.inputs.topic",
          "group": "run",
          "valueType": "any",
          "description": "the run's input \"topic\"",
          "node": null,
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        }
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the value at input \"input\"",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": "2",
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": "1",
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": "2026-01-01T00:00:00.000Z",
          "fields": []
        },
        {
          "written": "topic",
          "group": "node",
          "valueType": "text",
          "description": "the output of topic",
          "node": "topic",
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        },
        {
          "written": "draft",
          "group": "node",
          "valueType": "text",
          "description": "the output of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "draft.usage",
          "group": "node",
          "valueType": "json",
          "description": "\"usage\" of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "{\"calls\":1,\"inputTokens\":4,\"outputTokens\":2,\"costUsd\":5e-6,\"cachedTokens\":0,\"rea…",
          "fields": [
            {"written":"draft.usage.calls","last":"1"},
            {"written":"draft.usage.inputTokens","last":"4"},
            {"written":"draft.usage.outputTokens","last":"2"},
            {"written":"draft.usage.costUsd","last":"5e-6"},
            {"written":"draft.usage.cachedTokens","last":"0"},
            {"written":"draft.usage.reasoningTokens","last":"0"}
          ]
        },
        {
          "written": "previous.draft",
          "group": "previous",
          "valueType": "text",
          "description": "the output of draft in the previous iteration, null at first",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "previous.judge",
          "group": "previous",
          "valueType": "json",
          "description": "the output of judge in the previous iteration, null at first",
          "node": "judge",
          "mayBeMissing": false,
          "last": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is tr…",
          "fields": [
            {"written":"previous.judge.selectedBranch","last":"continue"},
            {"written":"previous.judge.value","last":"draft 1"},
            {"written":"previous.judge.reason","last":"fallback: no rule is true"}
          ]
        },
        {
          "written": "run.inputs.topic",
          "group": "run",
          "valueType": "any",
          "description": "the run's input \"topic\"",
          "node": null,
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        }
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "namesInScope",
    "data": {
      "mode": "condition",
      "names": [
        {
          "written": "input",
          "group": "input",
          "valueType": "any",
          "description": "the value at input \"input\"",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "loopCount",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 1",
          "node": null,
          "mayBeMissing": false,
          "last": "2",
          "fields": []
        },
        {
          "written": "loopIndex",
          "group": "loop",
          "valueType": "number",
          "description": "the iteration, from 0",
          "node": null,
          "mayBeMissing": false,
          "last": "1",
          "fields": []
        },
        {
          "written": "loopResult",
          "group": "loop",
          "valueType": "any",
          "description": "the previous iteration's result, null at first",
          "node": null,
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "loopStartTime",
          "group": "loop",
          "valueType": "text",
          "description": "when the loop started",
          "node": null,
          "mayBeMissing": false,
          "last": "2026-01-01T00:00:00.000Z",
          "fields": []
        },
        {
          "written": "topic",
          "group": "node",
          "valueType": "text",
          "description": "the output of topic",
          "node": "topic",
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        },
        {
          "written": "draft",
          "group": "node",
          "valueType": "text",
          "description": "the output of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 2",
          "fields": []
        },
        {
          "written": "draft.usage",
          "group": "node",
          "valueType": "json",
          "description": "\"usage\" of draft",
          "node": "draft",
          "mayBeMissing": false,
          "last": "{\"calls\":1,\"inputTokens\":4,\"outputTokens\":2,\"costUsd\":5e-6,\"cachedTokens\":0,\"rea…",
          "fields": [
            {"written":"draft.usage.calls","last":"1"},
            {"written":"draft.usage.inputTokens","last":"4"},
            {"written":"draft.usage.outputTokens","last":"2"},
            {"written":"draft.usage.costUsd","last":"5e-6"},
            {"written":"draft.usage.cachedTokens","last":"0"},
            {"written":"draft.usage.reasoningTokens","last":"0"}
          ]
        },
        {
          "written": "previous.draft",
          "group": "previous",
          "valueType": "text",
          "description": "the output of draft in the previous iteration, null at first",
          "node": "draft",
          "mayBeMissing": false,
          "last": "draft 1",
          "fields": []
        },
        {
          "written": "previous.judge",
          "group": "previous",
          "valueType": "json",
          "description": "the output of judge in the previous iteration, null at first",
          "node": "judge",
          "mayBeMissing": false,
          "last": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is tr…",
          "fields": [
            {"written":"previous.judge.selectedBranch","last":"continue"},
            {"written":"previous.judge.value","last":"draft 1"},
            {"written":"previous.judge.reason","last":"fallback: no rule is true"}
          ]
        },
        {
          "written": "run.inputs.topic",
          "group": "run",
          "valueType": "any",
          "description": "the run's input \"topic\"",
          "node": null,
          "mayBeMissing": false,
          "last": "bread",
          "fields": []
        }
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "newEvaluation",
    "data": {
      "path": "/flows/self-refine.loop.eval.json",
      "version": "",
      "evaluation": {
        "schemaVersion": 1,
        "name": "Self-Refine",
        "flow": "self-refine.loop",
        "data": {"file":"topics.jsonl","inputs":{"brief":"topic"}},
        "scorers": [{"name":"similar","type":"similarity"}],
        "perIteration": "refine"
      },
      "problems": [],
      "flowPath": "/flows/self-refine.loop"
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [],
      "runnable": true,
      "mostItCanCost": {
        "maxCalls": 15,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": 0,
        "unknown": [
          "\"Critique\" has no maxTokens, so the length of its answer is not limited.",
          "\"Revise\" has no maxTokens, so the length of its answer is not limited."
        ],
        "unbounded": [{"place":"critique","title":"Critique"},{"place":"revise","title":"Revise"}],
        "note": "at most 15 calls, cost unknown"
      },
      "needs": {"flow":"content:f20bfafa4b57565f","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [],
      "runnable": true,
      "mostItCanCost": {
        "maxCalls": 15,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": 0,
        "unknown": [
          "\"Enough?\" has no maxTokens, so the length of its answer is not limited.",
          "\"Plan search\" has no maxTokens, so the length of its answer is not limited."
        ],
        "unbounded": [{"place":"enough","title":"Enough?"},{"place":"plan","title":"Plan search"}],
        "note": "at most 15 calls, cost unknown"
      },
      "needs": {"flow":"content:61894b63e65582ad","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [],
      "runnable": true,
      "mostItCanCost": {
        "maxCalls": 15,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": 0,
        "unknown": [
          "\"Enough?\" has no maxTokens, so the length of its answer is not limited.",
          "\"Plan search\" has no maxTokens, so the length of its answer is not limited."
        ],
        "unbounded": [{"place":"enough","title":"Enough?"},{"place":"plan","title":"Plan search"}],
        "note": "at most 15 calls, cost unknown"
      },
      "needs": {"flow":"content:61894b63e65582ad","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "no_end",
          "severity": "error",
          "node": "search_loop",
          "place": null,
          "message": "\"Search until enough\" has no Exit, so its body has no end. Add an Exit after the last node of the body.",
          "fix": {
            "title": "Add Exit",
            "edits": [
              {"op":"add_node","node":{"id":"exit","type":"exit","position":{"x":510,"y":440},"data":{}}},
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-enough-exit",
                  "source": "enough",
                  "sourceHandle": "done",
                  "target": "exit",
                  "targetHandle": "input"
                }
              },
              {
                "op": "add_edge",
                "edge": {
                  "id": "e-exit-answer",
                  "source": "exit",
                  "sourceHandle": "output",
                  "target": "answer",
                  "targetHandle": "value"
                }
              }
            ]
          }
        },
        {
          "code": "dangling_edge",
          "severity": "error",
          "node": "enough",
          "place": "edge:e5",
          "message": "The wire \"e5\" ends at \"exit\", but there is no such node. Remove it.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e5"}]}
        },
        {
          "code": "dangling_edge",
          "severity": "error",
          "node": "answer",
          "place": "edge:e8",
          "message": "The wire \"e8\" starts at \"exit\", but there is no such node. Remove it.",
          "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e8"}]}
        },
        {
          "code": "nothing_wired",
          "severity": "warning",
          "node": "answer",
          "place": "value",
          "message": "Nothing is wired to \"Answer\", so it gives no value. Wire a result to it.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": [
          "The flow has errors. \"Search until enough\" has no Exit, so its body has no end. Add an Exit after the last node of the body."
        ],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [],
      "runnable": true,
      "mostItCanCost": {
        "maxCalls": 15,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": 0,
        "unknown": [
          "\"Enough?\" has no maxTokens, so the length of its answer is not limited.",
          "\"Plan search\" has no maxTokens, so the length of its answer is not limited."
        ],
        "unbounded": [{"place":"enough","title":"Enough?"},{"place":"plan","title":"Plan search"}],
        "note": "at most 15 calls, cost unknown"
      },
      "needs": {"flow":"content:ab0de164f6b3b0cf","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [],
      "runnable": true,
      "mostItCanCost": {
        "maxCalls": 15,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": 0,
        "unknown": [
          "\"Enough?\" has no maxTokens, so the length of its answer is not limited.",
          "\"Plan search\" has no maxTokens, so the length of its answer is not limited."
        ],
        "unbounded": [{"place":"enough","title":"Enough?"},{"place":"plan","title":"Plan search"}],
        "note": "at most 15 calls, cost unknown"
      },
      "needs": {"flow":"content:4733e67a22769d23","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "fix",
          "place": "prompt",
          "message": "\"Fix\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        },
        {
          "code": "agent_missing",
          "severity": "warning",
          "node": "fix",
          "place": "runner",
          "message": "\"Fix\" cannot start its agent. The agent Claude Code is not installed: there is no program `claude` on this computer. Install it with `npm install -g @anthropic-ai/claude-code`.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Fix\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "fix",
          "place": "prompt",
          "message": "\"Fix\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        },
        {
          "code": "agent_missing",
          "severity": "warning",
          "node": "fix",
          "place": "runner",
          "message": "\"Fix\" cannot start its agent. The agent Claude Code is not installed: there is no program `claude` on this computer. Install it with `npm install -g @anthropic-ai/claude-code`.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Fix\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "draft",
          "place": "prompt",
          "message": "\"Draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Draft\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "draft",
          "place": "prompt",
          "message": "\"Draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Draft\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "draft",
          "place": "prompt",
          "message": "\"Draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Draft\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {
    "command": "prepareRun",
    "data": {
      "id": "prepared",
      "problems": [
        {
          "code": "nothing_wired",
          "severity": "error",
          "node": "draft",
          "place": "prompt",
          "message": "\"Draft\" has no `prompt`. Wire a value to it, or enter one in that field.",
          "fix": null
        },
        {
          "code": "no_output",
          "severity": "warning",
          "node": null,
          "place": null,
          "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
          "fix": null
        }
      ],
      "runnable": false,
      "mostItCanCost": {
        "maxCalls": null,
        "maxUsd": null,
        "maxTokens": null,
        "agentTurns": null,
        "unknown": ["The flow has errors. \"Draft\" has no `prompt`. Wire a value to it, or enter one in that field."],
        "unbounded": [],
        "note": "cost unknown"
      },
      "needs": null
    }
  },
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {"command":"previewField","data":null},
  {
    "command": "previewField",
    "data": {
      "mode": "template",
      "text": "Dear reader",
      "valueKind": "text",
      "cut": false,
      "error": null,
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/draft"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "template",
      "text": "Dear bread, 2",
      "valueKind": "text",
      "cut": false,
      "error": null,
      "reads": [
        {"name":"topic","value":"bread","hasDefault":false,"span":{"from":8,"to":13}},
        {"name":"loopCount","value":"2","hasDefault":false,"span":{"from":21,"to":30}}
      ],
      "from": {"runId":"evaluated","path":"refine[2]/draft"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "template",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {
        "code": "undefined",
        "message": "`other` has no value here. Where it may be missing, write `other | default(value=\"\")`.",
        "span": null
      },
      "reads": [{"name":"other","value":null,"hasDefault":false,"span":{"from":3,"to":8}}],
      "from": {"runId":"evaluated","path":"refine[2]/draft"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": "true",
      "valueKind": "boolean",
      "cut": false,
      "error": null,
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": "false",
      "valueKind": "boolean",
      "cut": false,
      "error": null,
      "reads": [{"name":"input","value":"draft 2","hasDefault":false,"span":{"from":0,"to":5}}],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": "true",
      "valueKind": "boolean",
      "cut": false,
      "error": null,
      "reads": [{"name":"input","value":"draft 2","hasDefault":false,"span":{"from":0,"to":5}}],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": "false",
      "valueKind": "boolean",
      "cut": false,
      "error": null,
      "reads": [
        {"name":"input.score","value":null,"hasDefault":false,"span":{"from":0,"to":11}},
        {"name":"draft","value":"draft 2","hasDefault":false,"span":{"from":22,"to":27}},
        {"name":"input","value":"draft 2","hasDefault":false,"span":{"from":31,"to":36}}
      ],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "condition",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {"code":"template_syntax","message":"An expression is missing.","span":{"from":0,"to":0}},
      "reads": [],
      "from": {"runId":"evaluated","path":"refine[2]/judge"}
    }
  },
  {
    "command": "previewField",
    "data": {
      "mode": "template",
      "text": null,
      "valueKind": null,
      "cut": false,
      "error": {
        "code": "undefined",
        "message": "`other` has no value here. Where it may be missing, write `other | default(value=\"\")`.",
        "span": null
      },
      "reads": [
        {"name":"topic","value":"bread","hasDefault":false,"span":{"from":3,"to":8}},
        {"name":"other","value":null,"hasDefault":false,"span":{"from":15,"to":20}}
      ],
      "from": {"runId":"evaluated","path":"refine[2]/draft"}
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"children"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"adults"},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {
    "command": "readCases",
    "error": {
      "code": "invalid_argument",
      "message": "`data.inputs` names `tone`, which is not an input of the flow. Inputs: brief.",
      "path": null,
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": [
        "The data set has no column for the input `brief`, which uses its default in every case. Columns: id, topic, audience, reference."
      ]
    }
  },
  {
    "command": "readCases",
    "error": {
      "code": "not_found",
      "message": "The data set /flows/x.csv cannot be read: No such file or directory (os error 2). Check that it exists and that you may read it.",
      "path": "/flows/x.csv",
      "subject": null,
      "reason": null
    }
  },
  {
    "command": "readCases",
    "data": {
      "columns": ["id","topic","audience","reference"],
      "total": 12,
      "cases": [
        {
          "id": "case-1",
          "line": 1,
          "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
          "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
          "row": {
            "id": "case-1",
            "topic": "Why bread rises, for a curious ten-year-old",
            "audience": "children",
            "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
          }
        },
        {
          "id": "case-2",
          "line": 2,
          "inputs": {"brief":"How a heat pump works below freezing"},
          "expected": "A short and correct answer to “How a heat pump works below freezing”.",
          "row": {
            "id": "case-2",
            "topic": "How a heat pump works below freezing",
            "audience": "adults",
            "reference": "A short and correct answer to “How a heat pump works below freezing”."
          }
        },
        {
          "id": "case-3",
          "line": 3,
          "inputs": {"brief":"What a hash table is, without code"},
          "expected": "A short and correct answer to “What a hash table is, without code”.",
          "row": {
            "id": "case-3",
            "topic": "What a hash table is, without code",
            "audience": "children",
            "reference": "A short and correct answer to “What a hash table is, without code”."
          }
        },
        {
          "id": "case-4",
          "line": 4,
          "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
          "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
          "row": {
            "id": "case-4",
            "topic": "Why the sky is blue at noon and red at dusk",
            "audience": "adults",
            "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
          }
        },
        {
          "id": "case-5",
          "line": 5,
          "inputs": {"brief":"How vaccines teach the body"},
          "expected": "A short and correct answer to “How vaccines teach the body”.",
          "row": {
            "id": "case-5",
            "topic": "How vaccines teach the body",
            "audience": "children",
            "reference": "A short and correct answer to “How vaccines teach the body”."
          }
        },
        {
          "id": "case-6",
          "line": 6,
          "inputs": {"brief":"What inflation does to savings"},
          "expected": "A short and correct answer to “What inflation does to savings”.",
          "row": {
            "id": "case-6",
            "topic": "What inflation does to savings",
            "audience": "adults",
            "reference": "A short and correct answer to “What inflation does to savings”."
          }
        },
        {
          "id": "case-7",
          "line": 7,
          "inputs": {"brief":"Where rivers begin"},
          "expected": "A short and correct answer to “Where rivers begin”.",
          "row": {
            "id": "case-7",
            "topic": "Where rivers begin",
            "audience": "children",
            "reference": "A short and correct answer to “Where rivers begin”."
          }
        },
        {
          "id": "case-8",
          "line": 8,
          "inputs": {"brief":"How a lock keeps time with its key"},
          "expected": "A short and correct answer to “How a lock keeps time with its key”.",
          "row": {
            "id": "case-8",
            "topic": "How a lock keeps time with its key",
            "audience": "adults",
            "reference": "A short and correct answer to “How a lock keeps time with its key”."
          }
        },
        {
          "id": "case-9",
          "line": 9,
          "inputs": {"brief":"Why cats purr"},
          "expected": "A short and correct answer to “Why cats purr”.",
          "row": {
            "id": "case-9",
            "topic": "Why cats purr",
            "audience": "children",
            "reference": "A short and correct answer to “Why cats purr”."
          }
        },
        {
          "id": "case-10",
          "line": 10,
          "inputs": {"brief":"What makes a good question"},
          "expected": "A short and correct answer to “What makes a good question”.",
          "row": {
            "id": "case-10",
            "topic": "What makes a good question",
            "audience": "adults",
            "reference": "A short and correct answer to “What makes a good question”."
          }
        },
        {
          "id": "case-11",
          "line": 11,
          "inputs": {"brief":"How glass is made"},
          "expected": "A short and correct answer to “How glass is made”.",
          "row": {
            "id": "case-11",
            "topic": "How glass is made",
            "audience": "children",
            "reference": "A short and correct answer to “How glass is made”."
          }
        },
        {
          "id": "case-12",
          "line": 12,
          "inputs": {"brief":"Never answered."},
          "expected": "A short and correct answer to “Never answered.”.",
          "row": {
            "id": "case-12",
            "topic": "Never answered.",
            "audience": "adults",
            "reference": "A short and correct answer to “Never answered.”."
          }
        }
      ],
      "rejected": [],
      "notes": []
    }
  },
  {"command":"renameNodes","data":{"data":{},"places":0,"unread":[]}},
  {"command":"renameNodes","data":{"data":{},"places":0,"unread":[]}},
  {"command":"renameNodes","data":{"data":{},"places":0,"unread":[]}},
  {"command":"renameNodes","data":{"data":{},"places":0,"unread":[]}}
];
