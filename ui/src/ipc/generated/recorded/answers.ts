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
      "problems": [
        {
          "code": "unknown_reference",
          "severity": "error",
          "node": "missing",
          "place": "template",
          "span": {"from":18,"to":30},
          "message": "Template of \"What’s missing\" refers to \"verdict\": no such node. Name a node that comes before, or one of its own inputs.",
          "fix": null
        }
      ],
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
      "estimate": {"maxCalls":15,"perIteration":3,"agentTurns":0,"usd":null,"note":"up to 15 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":6,"perIteration":2,"agentTurns":0,"usd":null,"note":"up to 6 calls"},
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
      "estimate": {"maxCalls":0,"perIteration":null,"agentTurns":0,"usd":0.0,"note":"no model calls"},
      "runnable": false
    }
  },
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
      "problem": "`url` of http.request must be a whole address such as https://example.org/data."
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
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow was never saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow was never saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  },
  {
    "command": "describeCall",
    "data": {
      "tool": "command",
      "again": false,
      "fixed": ["args","program"],
      "facts": [],
      "problem": "This flow was never saved, so it has no folder. Save it first, or write the folder as an absolute path."
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
  }
];
