// What the program answers that depends on no flow. Recorded by `npm run codegen`. Do not edit.
import type { ApiError, Problem } from "../bindings";
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;

export const kinds: Reply<"kinds"> = {
  "kinds": [
    {
      "type": "input",
      "title": "Input",
      "category": "io",
      "icon": "text-cursor-input",
      "summary": "starting values",
      "doc": "A value that you provide when the run starts, in the run box or with `--input name=value` on the command line. A `text` is used as it is, a `file` is a path, and the other types are read as JSON.",
      "shape": "input",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [],
      "outputs": [{"name":"value","label":"value","valueType":"text","primary":true,"many":false,"always":false}],
      "schema": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The input's name, as in `--input topic=…` and `{{ run.inputs.topic }}`.",
            "default": ""
          },
          "dataType": {
            "default": "text",
            "description": "The type of the value.",
            "type": "string",
            "enum": ["text","json","number","boolean","file"],
            "x-enum-help": {"file":"A file path."}
          },
          "default": {"description":"Used when the run starts without a value.","x-widget":"json"},
          "required": {"type":"boolean","description":"A run can't start without a value.","default":false},
          "description": {"type":"string","description":"Tells people what to enter. It is shown next to the field."},
          "defaultValue": {"description":"An older name of `default`.","x-hidden":true}
        }
      },
      "defaults": {"name":"topic","dataType":"text"},
      "hidden": false
    },
    {
      "type": "output",
      "title": "Output",
      "category": "io",
      "icon": "file-output",
      "summary": "final result",
      "doc": "A named result of the run. `format` sets how the value is shown. It doesn't change the value.",
      "shape": "output",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"value","label":"value","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [],
      "schema": {
        "type": "object",
        "properties": {
          "name": {"type":"string","description":"The name of the result.","default":""},
          "format": {
            "type": "string",
            "enum": ["text","markdown","json"],
            "description": "How the value is shown. The value itself stays the same.",
            "default": "text"
          }
        }
      },
      "defaults": {"name":"result","format":"text"},
      "hidden": false
    },
    {
      "type": "llm",
      "title": "LLM",
      "category": "ai",
      "icon": "message-square-text",
      "summary": "prompt a model",
      "doc": "Asks a language model. The prompt is the template in `prompt`, or the value wired to it if the template is empty. A value wired to `system` replaces the system prompt. `context` is material that the prompt is about. With a JSON Schema as `responseFormat`, the answer is checked against it and each field becomes an output handle. To send images, wire text of the form `data:image/png;base64,…` to `context`, alone or in a list. With `session: loop` the model sees the prompts and answers of earlier iterations. Each start of the loop begins a new conversation, and so does each item of a list inside the loop. With `tools` the model can read, list and edit files before it answers, in its own loop: each round is another model call. See [Tools of models](../tools.md#tools-of-models).",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [
        {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
        {"name":"system","label":"system","valueType":"text","primary":false,"many":false,"always":false},
        {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [
        {"name":"response","label":"response","valueType":"text","primary":true,"many":false,"always":false},
        {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "provider": {
            "type": "string",
            "description": "`auto` uses the provider in Settings, or a built-in model if there is none.",
            "default": "",
            "x-widget": "provider",
            "x-group": "Model"
          },
          "model": {
            "type": "string",
            "description": "One of the provider's models. If empty, the provider's default model is used.",
            "default": "",
            "x-widget": "model",
            "x-group": "Model"
          },
          "builtin": {
            "type": "string",
            "title": "Built-in model",
            "description": "The built-in model to use if no provider is set up: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
            "x-group": "Model",
            "x-widget": "model"
          },
          "systemPrompt": {
            "type": "string",
            "title": "System prompt",
            "description": "Instructions for the model. They apply before the prompt.",
            "default": "",
            "x-widget": "template",
            "x-group": "Prompt"
          },
          "prompt": {
            "type": "string",
            "description": "Use `{{ name }}` to insert a value. If empty, the prompt is the value at the main input.",
            "default": "",
            "x-widget": "template",
            "x-group": "Prompt"
          },
          "temperature": {
            "type": "number",
            "x-group": "Model",
            "description": "How varied the answers are. 0 is the most predictable.",
            "minimum": 0.0,
            "maximum": 2.0
          },
          "maxTokens": {
            "type": "integer",
            "x-group": "Model",
            "minimum": 1,
            "description": "The maximum length of an answer, in tokens. A budget in dollars requires it."
          },
          "responseFormat": {
            "anyOf": [{"type":"string","enum":["text","json"]},{"type":"object"}],
            "x-group": "Answer",
            "description": "The format of the answer: `text`, `json`, or a JSON Schema. The schema's fields become output handles.",
            "x-widget": "schema"
          },
          "take": {
            "x-group": "Answer",
            "description": "The part of the answer that becomes the response: all of it, or only what was asked for, without the text around it.",
            "default": "whole",
            "type": "string",
            "enum": ["whole","marked","code"],
            "x-enum-help": {
              "whole": "The whole text.",
              "marked": "The text between `<answer>` and `</answer>`, which the model is asked to write.",
              "code": "The only block of code in the text."
            }
          },
          "inputs": {
            "type": "array",
            "items": {"type":"string"},
            "description": "Extra inputs. Use their names in the prompt.",
            "default": [],
            "x-widget": "handles",
            "x-group": "Prompt"
          },
          "session": {
            "x-group": "Model",
            "description": "Whether the model remembers earlier iterations.",
            "default": "stateless",
            "type": "string",
            "enum": ["stateless","loop"],
            "x-enum-help": {
              "stateless": "Start a new conversation with every call.",
              "loop": "Continue the conversation in the next iteration."
            }
          },
          "tools": {
            "type": "array",
            "items": {
              "description": "A tool that a model may use.",
              "type": "string",
              "enum": ["files.read","files.glob","files.edit"],
              "x-enum-help": {"files.read":"Read a file.","files.glob":"List files.","files.edit":"Edit and create files."}
            },
            "description": "Tools that the model may use before it answers: `files.read`, `files.glob`, `files.edit`. The model must support tools.",
            "default": [],
            "x-group": "Tools"
          },
          "folder": {
            "type": "string",
            "description": "The folder of the tools: an absolute path, or a path from the workspace around the node. Without a workspace,\nthe path is from the workflow's own folder. If empty, the tools use the workspace or that folder. Outside a\nworkspace, you approve the folder before the run.",
            "default": "",
            "x-widget": "folder",
            "x-group": "Tools"
          },
          "maxToolRounds": {
            "type": "integer",
            "x-group": "Tools",
            "minimum": 1,
            "title": "Max tool rounds",
            "description": "How many times the model may use tools before it is stopped.",
            "maximum": 500,
            "default": 40
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated. Empty fields take their values from Workflow settings. The default is 3 retries with increasing pauses.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "exponential",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT2S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1M",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","truncated","408","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "repeat"
          }
        }
      },
      "defaults": {"provider":"auto","systemPrompt":"","temperature":0.7,"maxTokens":1024},
      "hidden": false
    },
    {
      "type": "agent",
      "title": "Agent",
      "category": "ai",
      "icon": "terminal",
      "summary": "a coding agent",
      "doc": "Starts a coding agent (`claude-code`, `codex`, `gemini`, or a command from Settings) in a folder, sends it the prompt and waits for its answer. With `session: resume` the agent continues its conversation in the next iteration of the loop. The session ends with the loop. You approve its command, folder, permission and environment before the run. If you stop the run, the agent ends, together with every program that it started. By default a failed turn is repeated only if the agent reports a temporary failure (429, 5xx, no connection) and has not started its work. See [Agents](../tools.md#agents).",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [
        {"name":"prompt","label":"prompt","valueType":"text","primary":true,"many":false,"always":false},
        {"name":"context","label":"context","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [
        {"name":"response","label":"response","valueType":"text","primary":true,"many":false,"always":false},
        {
          "name": "sessionId",
          "label": "sessionId",
          "valueType": "text",
          "primary": false,
          "many": false,
          "always": false
        },
        {"name":"usage","label":"usage","valueType":"json","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "runner": {
            "type": "string",
            "title": "Agent",
            "description": "The agent program: `claude-code`, `codex`, `gemini`, or an agent from Settings.",
            "default": "claude-code",
            "x-widget": "agent"
          },
          "prompt": {
            "type": "string",
            "description": "Use `{{ name }}` to insert a value. If empty, the prompt is the value at the `prompt` input.",
            "default": "",
            "x-widget": "template"
          },
          "cwd": {
            "type": "string",
            "title": "Working folder",
            "description": "An absolute path, or a path from the workspace around the node. Without a workspace, the path is from the\nworkflow's own folder. You approve the folder before the run.",
            "default": ".",
            "x-widget": "folder"
          },
          "session": {
            "default": "resume",
            "description": "Whether the agent remembers earlier iterations.",
            "type": "string",
            "enum": ["fresh","resume"],
            "x-enum-help": {
              "fresh": "Start a new conversation every time.",
              "resume": "Continue the conversation in the next iteration of the loop. The conversation ends with the loop."
            }
          },
          "sandbox": {
            "default": "workspace",
            "title": "Permission",
            "description": "What the agent may do.",
            "type": "string",
            "enum": ["read_only","workspace","full"],
            "x-enum-help": {
              "read_only": "The agent may read files but not change anything.",
              "workspace": "The agent may change files in its working folder.",
              "full": "The agent may do everything that you may. Use this only with workflows and folders that you trust completely."
            }
          },
          "env": {
            "type": "array",
            "items": {"type":"string"},
            "title": "Environment",
            "description": "Names of the environment variables that the agent receives, such as `ANTHROPIC_API_KEY`. The agent also receives the\nvariables that every program needs, but no others.",
            "default": []
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated. Empty fields take their values from Workflow settings. The default is 3 retries with increasing pauses.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "exponential",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT2S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1M",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","truncated","408","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "ask"
          }
        }
      },
      "defaults": {"runner":"claude-code","cwd":".","session":"resume","sandbox":"workspace"},
      "hidden": false
    },
    {
      "type": "router",
      "title": "Router",
      "category": "ai",
      "icon": "split",
      "summary": "choose a path",
      "doc": "Sends its input along exactly one branch. `rules` takes the first branch whose expression is true. `pattern` takes the branch whose name equals the text or its last line. `llm` asks a model for a branch, tells it the `description` of each, and asks once more if the answer names none of them. If no branch is chosen, the router takes `fallback`. Without a fallback it fails with `router_undecided`: it never guesses. The node's value is `{ selectedBranch, value, reason }`. The branch carries only the input.",
      "shape": "branching",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"done","label":"done","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"continue","label":"continue","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "mode": {
            "x-enum-labels": {"rules":"Rules","llm":"Model","pattern":"Pattern"},
            "description": "How the router chooses the branch.",
            "default": "rules",
            "type": "string",
            "enum": ["rules","llm","pattern"],
            "x-enum-help": {
              "rules": "Take the first branch whose expression is true.",
              "llm": "Let a model choose the branch and give a reason.",
              "pattern": "Take the branch whose name equals the text or its last line."
            }
          },
          "branches": {
            "type": "array",
            "items": {
              "anyOf": [
                {"type":"string"},
                {
                  "type": "object",
                  "properties": {
                    "name": {"description":"Name of the branch and of its output handle.","type":"string"},
                    "when": {
                      "description": "Take the branch when this is true.",
                      "type": "string",
                      "x-widget": "expression"
                    },
                    "description": {
                      "title": "Choose this when…",
                      "description": "Tells the model when to choose the branch. The text is sent with the branch's name.",
                      "type": "string"
                    }
                  },
                  "required": ["name"]
                }
              ]
            },
            "description": "The branches by name. With rules, each branch has an expression. With a model, each has a description.",
            "default": [],
            "x-widget": "branches"
          },
          "fallback": {
            "type": "string",
            "description": "The branch to take if none is chosen. Without a fallback the router fails."
          },
          "provider": {
            "type": "string",
            "description": "`auto` uses the provider in Settings, or a built-in model if there is none.",
            "default": "",
            "x-widget": "provider",
            "x-group": "Model",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "model": {
            "type": "string",
            "description": "One of the provider's models. If empty, the provider's default model is used.",
            "default": "",
            "x-widget": "model",
            "x-group": "Model",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "builtin": {
            "type": "string",
            "title": "Built-in model",
            "description": "The built-in model to use if no provider is set up: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
            "x-group": "Model",
            "x-widget": "model",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "systemPrompt": {
            "type": "string",
            "title": "System prompt",
            "description": "Instructions for the model. They apply before the prompt.",
            "default": "",
            "x-widget": "template",
            "x-group": "Prompt",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "prompt": {
            "type": "string",
            "description": "Use `{{ name }}` to insert a value. If empty, the prompt is the value at the main input.",
            "default": "",
            "x-widget": "template",
            "x-group": "Prompt",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "temperature": {
            "type": "number",
            "x-group": "Model",
            "description": "How varied the answers are. 0 is the most predictable.",
            "minimum": 0.0,
            "maximum": 2.0,
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "maxTokens": {
            "type": "integer",
            "x-group": "Model",
            "minimum": 1,
            "description": "The maximum length of an answer, in tokens. A budget in dollars requires it.",
            "x-show-if": {"field":"mode","in":["llm"]}
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated. Empty fields take their values from Workflow settings. The default is 3 retries with increasing pauses.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "exponential",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT2S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1M",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","truncated","408","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "repeat"
          }
        }
      },
      "defaults": {
        "mode": "rules",
        "maxTokens": 1024,
        "branches": [{"name":"done","when":"input is containing(pat=\"DONE\")"},{"name":"continue","when":"true"}]
      },
      "hidden": false
    },
    {
      "type": "transform",
      "title": "Transform",
      "category": "logic",
      "icon": "braces",
      "summary": "reshape data",
      "doc": "Builds a value from its inputs with a template. It doesn't call a model.",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
      "schema": {
        "type": "object",
        "properties": {
          "inputs": {
            "type": "array",
            "items": {"type":"string"},
            "description": "Extra inputs. Use their names in the template.",
            "default": [],
            "x-widget": "handles"
          },
          "template": {
            "type": "string",
            "description": "Use `{{ name }}` to insert a value. A single `{{ expression }}` keeps the value's type. Anything else produces text.",
            "default": "",
            "x-widget": "template"
          },
          "outputFormat": {
            "x-enum-help": {
              "text": "Always text. Other values become compact JSON.",
              "json": "The text is parsed as JSON. The node fails if the text isn't valid JSON."
            },
            "description": "The type of the result. If empty, the template decides.",
            "type": "string",
            "enum": ["text","json"]
          },
          "mode": {
            "type": "string",
            "enum": ["template"],
            "description": "How the value is created. Only templates are supported.",
            "default": "template",
            "x-hidden": true
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          }
        }
      },
      "defaults": {"template":"{{ input }}"},
      "hidden": false
    },
    {
      "type": "validator",
      "title": "Validator",
      "category": "logic",
      "icon": "shield-check",
      "summary": "check output",
      "doc": "Checks its input against a JSON Schema, rules, or both, and sends it through `valid` or `invalid`. Later templates can read `errors`, a list of `{ path, message }`. Text that contains one JSON value, alone, in a code fence or within other text, is checked as that value, unless the schema accepts the text.",
      "shape": "branching",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"valid","label":"valid","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"invalid","label":"invalid","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "schema": {"description":"A JSON Schema that the value must match.","x-widget":"schema"},
          "rules": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "when": {"description":"An expression that must be true.","type":"string","x-widget":"expression"},
                "message": {"description":"The error message if the expression is false.","type":"string","default":""}
              },
              "required": ["when"]
            },
            "description": "Expressions that must be true, each with an error message.",
            "default": []
          }
        }
      },
      "defaults": {"rules":[{"when":"input | length > 0","message":"It is empty."}]},
      "hidden": false
    },
    {
      "type": "check",
      "title": "Check",
      "category": "logic",
      "icon": "list-checks",
      "summary": "run the tests",
      "doc": "Runs a program, such as a test suite, and sends its input through `passed` or `failed`. The check passes if the exit code is in `okExitCodes` and its output reports no failed test. Later templates can read `failures`, a list of `{ name, message, file, line }`. If the check fails and no failure can be read, the only entry contains the last 100 lines of the output, and the node adds a warning. The `result` handle always gives the whole value. In a loop that ends by an evaluator, wire `passed` to the Exit. If the program can't be started or exceeds `timeout` (10 minutes by default), the node fails instead of taking `failed`. You approve the command line, folder and environment before the run. The program ends with the node, together with every program that it started. See [Checks](../tools.md#checks).",
      "shape": "branching",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"passed","label":"passed","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"failed","label":"failed","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"result","label":"result","valueType":"json","primary":false,"many":false,"always":true}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "program": {
            "type": "string",
            "description": "A program on the `PATH`, or a path from the working folder, such as `cargo` or `./test.sh`.",
            "default": ""
          },
          "args": {
            "type": "array",
            "items": {"type":"string"},
            "title": "Arguments",
            "description": "One template per argument. No shell is involved, so arguments aren't split or expanded.",
            "default": [],
            "x-widget": "templates"
          },
          "cwd": {
            "type": "string",
            "title": "Working folder",
            "description": "An absolute path, or a path from the workspace around the node. Without a workspace, the path is from the\nworkflow's own folder. You approve the folder before the run.",
            "default": ".",
            "x-widget": "folder"
          },
          "report": {
            "default": "auto",
            "description": "The format of the test report, from which the failures are read.",
            "type": "string",
            "enum": [
              "auto",
              "junit",
              "tap",
              "cargo",
              "nextest",
              "pytest",
              "unittest",
              "jest",
              "vitest",
              "mocha",
              "node",
              "rspec",
              "phpunit",
              "dotnet",
              "ctest",
              "eslint",
              "go",
              "compiler",
              "none"
            ],
            "x-enum-help": {
              "auto": "Detect the format.",
              "junit": "JUnit XML, as pytest, Node.js, Maven and Jest write it.",
              "tap": "Test Anything Protocol.",
              "cargo": "`cargo test`, and errors of the Rust compiler.",
              "nextest": "`cargo nextest`.",
              "pytest": "pytest.",
              "unittest": "Python's `unittest`.",
              "jest": "Jest, as text or `--json`.",
              "vitest": "Vitest, as text or `--reporter=json`.",
              "mocha": "Mocha or Cypress, as text or JSON.",
              "node": "`node --test` with the reporter `spec` or `dot`.",
              "rspec": "RSpec, as text or `--format json`.",
              "phpunit": "PHPUnit or Pest.",
              "dotnet": "`dotnet test`, as text or TRX.",
              "ctest": "CTest.",
              "eslint": "ESLint.",
              "go": "`go test`.",
              "compiler": "Errors of TypeScript, C#, GCC, Clang or mypy.",
              "none": "No report. Only the exit code counts."
            }
          },
          "reportFile": {
            "type": "string",
            "description": "A report file in the working folder. If empty, the report is read from the program's output.",
            "x-show-if": {
              "field": "report",
              "in": [
                "auto",
                "junit",
                "tap",
                "cargo",
                "nextest",
                "pytest",
                "unittest",
                "jest",
                "vitest",
                "mocha",
                "node",
                "rspec",
                "phpunit",
                "dotnet",
                "ctest",
                "eslint",
                "go",
                "compiler"
              ]
            }
          },
          "stdin": {
            "type": "string",
            "title": "Standard input",
            "description": "The program's standard input, as a template.",
            "x-group": "Program",
            "x-widget": "template"
          },
          "env": {
            "type": "array",
            "items": {"type":"string"},
            "title": "Environment",
            "description": "Names of the environment variables that the program receives. The program also receives the variables that every program\nneeds, but no others.",
            "default": [],
            "x-widget": "names",
            "x-group": "Program"
          },
          "okExitCodes": {
            "type": "array",
            "items": {"type":"integer"},
            "title": "OK exit codes",
            "description": "Exit codes that count as success.",
            "default": [0],
            "x-widget": "names",
            "x-group": "Program"
          },
          "maxOutput": {
            "type": "integer",
            "x-group": "Program",
            "minimum": 1,
            "title": "Max output",
            "description": "The maximum size of standard output, and of standard error. If the output is longer, its beginning and its end\nare kept.",
            "maximum": 16777216,
            "x-unit": "bytes"
          },
          "readOnly": {
            "type": "boolean",
            "description": "Whether the program changes nothing. If so, an interrupted run may start it again without asking.",
            "default": false,
            "x-group": "Program"
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "none",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1H",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "ask"
          }
        }
      },
      "defaults": {"program":"npm","args":["test"],"cwd":".","report":"auto"},
      "hidden": false
    },
    {
      "type": "approval",
      "title": "Approval",
      "category": "logic",
      "icon": "user-check",
      "summary": "ask a person",
      "doc": "Waits for a person to approve or reject the value. The person may edit the value and leave a comment. The value leaves through `approved` or `rejected`, and later templates can read `comment`. Meanwhile the run is suspended, and it survives a restart. A question can expire. It then counts as rejected, or as approved with the same or another value, and `expired` is true.",
      "shape": "branching",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"approved","label":"approved","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"rejected","label":"rejected","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "message": {
            "type": "string",
            "description": "The question that the person sees. Use `{{ name }}` to insert a value.",
            "default": "",
            "x-widget": "template"
          },
          "expires": {
            "type": "string",
            "title": "Expires after",
            "description": "The time for an answer, as an ISO 8601 duration, such as PT8H. Without it, the question waits forever.",
            "x-format": "duration"
          },
          "onExpiry": {
            "x-enum-labels": {"reject":"Reject","approve":"Approve","value":"Approve another value"},
            "description": "What happens if nobody answers in time.",
            "title": "If nobody answers",
            "type": "string",
            "enum": ["reject","approve","value"],
            "x-enum-help": {
              "reject": "The value leaves through the handle `rejected`.",
              "approve": "The value leaves through the handle `approved`.",
              "value": "Another value, set in `expiryValue`, leaves through the handle `approved`."
            }
          },
          "expiryValue": {
            "title": "Value if nobody answers",
            "description": "The value that is approved if nobody answers in time.",
            "x-widget": "json",
            "x-show-if": {"field":"onExpiry","in":["value"]}
          }
        }
      },
      "defaults": {"message":"Is this good enough?"},
      "hidden": false
    },
    {
      "type": "tool",
      "title": "Tool",
      "category": "tools",
      "icon": "plug",
      "summary": "search, fetch, read",
      "doc": "Uses a tool. Its arguments come from `args` and from wires to the handles with their names. Text values in `args` are templates. If the main argument is missing, the tool takes it from the primary input. With `approval: ask` a person must agree before each use, and with `deny` the tool never runs. The `source` of `script.lua`, `script.python` and `script.javascript` is a script, not a template, and the `logs` handle gives what the script prints. See [Scripts](../scripts.md). The `source` of `expression.azure` is an Azure Logic Apps expression. The `source` of `template.jinja` is a Jinja template, which can read `input` and the other arguments by name.",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [
        {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}],
      "schema": {
        "type": "object",
        "properties": {
          "tool": {
            "type": "string",
            "description": "The tool to use, such as `search.documents`, `http.request` or `files.read`.",
            "default": "",
            "x-widget": "tool"
          },
          "args": {
            "type": "object",
            "additionalProperties": true,
            "title": "Arguments",
            "description": "The tool's arguments by name. Text values are templates. A wire to an argument's handle overrides the value here.",
            "default": {},
            "x-widget": "args"
          },
          "approval": {
            "x-enum-help": {"auto":"Run without asking.","ask":"Ask a person before each use.","deny":"Never run."},
            "description": "Whether the tool may run without asking. If empty, document search, scripts and programs run without asking, and other\ntools ask. Programs are approved before the run.",
            "type": "string",
            "enum": ["auto","ask","deny"]
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "none",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1H",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "repeat"
          }
        }
      },
      "defaults": {"tool":"search.documents","args":{}},
      "hidden": false
    },
    {
      "type": "loop",
      "title": "Loop",
      "category": "logic",
      "icon": "refresh-cw",
      "summary": "repeat a body",
      "doc": "Repeats the nodes between it and its Exit. Each iteration receives what the previous one sent to `feedback`, or else the previous result. The loop ends after a fixed number of iterations, when an evaluator is satisfied, when the result stops changing, when the best score stops improving, or when an expression says so. Templates inside can read `loopIndex` (from 0), `loopCount` (from 1), `loopResult`, `vars` and `previous`.",
      "shape": "scope_start",
      "repeats": "loop",
      "pairedWith": "exit",
      "exits": [
        {
          "value": "max_iterations",
          "title": "Max iterations",
          "meaning": "Always run all iterations.",
          "hint": null,
          "needs": null,
          "reason": "max_iterations"
        },
        {
          "value": "evaluator",
          "title": "Evaluator",
          "meaning": "Stop when a branch of a Router, Validator, Check or Approval reaches Exit.",
          "hint": null,
          "needs": "evaluator",
          "reason": "evaluator_done"
        },
        {
          "value": "stable_output",
          "title": "Stable output",
          "meaning": "Stop when the result barely changes.",
          "hint": "Compares each result with the previous one. 1 means identical, 0.95 means a few words differ.",
          "needs": null,
          "reason": "stable_output"
        },
        {
          "value": "score_plateau",
          "title": "Score plateau",
          "meaning": "Stop when the best score no longer improves.",
          "hint": "Compares the best score so far with the best score before these iterations.",
          "needs": "score",
          "reason": "score_plateau"
        },
        {
          "value": "condition",
          "title": "Condition",
          "meaning": "Stop by an expression, checked before or after each iteration.",
          "hint": null,
          "needs": "condition",
          "reason": "condition_met"
        }
      ],
      "inputs": [
        {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"feedback","label":"feedback","valueType":"any","primary":false,"many":false,"always":false}
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
      "schema": {
        "type": "object",
        "properties": {
          "maxIterations": {
            "type": "integer",
            "x-group": "Exit",
            "minimum": 1,
            "description": "The loop stops after this many iterations at the latest. The workflow's own limit may lower this number.",
            "default": 5,
            "x-clamped": true
          },
          "exitCondition": {
            "type": "string",
            "enum": ["max_iterations","evaluator","stable_output","score_plateau","condition"],
            "description": "What ends the loop.",
            "default": "max_iterations",
            "x-group": "Exit",
            "x-enum-labels": {
              "max_iterations": "Max iterations",
              "evaluator": "Evaluator",
              "stable_output": "Stable output",
              "score_plateau": "Score plateau",
              "condition": "Condition"
            },
            "x-enum-help": {
              "max_iterations": "Always run all iterations.",
              "evaluator": "Stop when a branch of a Router, Validator, Check or Approval reaches Exit.",
              "stable_output": "Stop when the result barely changes.",
              "score_plateau": "Stop when the best score no longer improves.",
              "condition": "Stop by an expression, checked before or after each iteration."
            }
          },
          "stabilityThreshold": {
            "type": "number",
            "x-show-if": {"field":"exitCondition","in":["stable_output"]},
            "title": "Similarity threshold",
            "description": "How similar two consecutive results must be, from 0 to 1. 1 means identical.",
            "minimum": 0.0,
            "maximum": 1.0,
            "default": 0.95,
            "x-group": "Exit"
          },
          "plateauDelta": {
            "type": "number",
            "x-show-if": {"field":"exitCondition","in":["score_plateau"]},
            "title": "Min improvement",
            "description": "The best score must improve by more than this to count as better.",
            "minimum": 0.0,
            "default": 0.0,
            "x-group": "Exit"
          },
          "patience": {
            "type": "integer",
            "x-default-if": {"field":"exitCondition","values":{"score_plateau":2}},
            "minimum": 1,
            "title": "Times in a row",
            "description": "How many results in a row must be stable, or how many iterations must pass without a better score.",
            "x-show-if": {"field":"exitCondition","in":["stable_output","score_plateau"]},
            "x-group": "Exit",
            "default": 1
          },
          "minIterations": {
            "type": "integer",
            "x-show-if": {"field":"exitCondition","in":["evaluator","stable_output","score_plateau","condition"]},
            "minimum": 1,
            "title": "Min iterations",
            "description": "The exit condition can't end the loop before this iteration.",
            "default": 1,
            "x-group": "Exit"
          },
          "condition": {
            "type": "object",
            "properties": {
              "until": {"type":"string","description":"Stop when this is true.","x-widget":"expression"},
              "while": {"type":"string","description":"Continue while this is true.","x-widget":"expression"},
              "test": {
                "default": "before",
                "description": "When the condition is checked.",
                "type": "string",
                "enum": ["before","after"],
                "x-enum-help": {
                  "before": "Before each iteration. The loop may run zero times.",
                  "after": "After each iteration. The loop runs at least once."
                }
              }
            },
            "description": "The expression that ends the loop, and when it is checked.",
            "x-show-if": {"field":"exitCondition","in":["condition"]},
            "x-group": "Exit"
          },
          "feedbackMode": {
            "x-group": "Feedback",
            "description": "What the next iteration receives.",
            "default": "replace",
            "type": "string",
            "enum": ["replace","append","variables"],
            "x-enum-help": {
              "replace": "The feedback becomes the next iteration's input.",
              "append": "The feedback is added below the input, as text.",
              "variables": "The input stays the same. Variables carry the changes."
            }
          },
          "keep": {
            "type": "object",
            "properties": {
              "last": {
                "type": "integer",
                "x-unit": "parts",
                "minimum": 1,
                "title": "Keep the newest",
                "description": "The number of newest parts that stay unchanged. The input says how many older parts are left out."
              },
              "summarise": {
                "type": "string",
                "title": "Summary of the rest",
                "description": "A node of the loop whose text replaces the older parts, such as `summary`. Wire the loop's `body` to it and ask it for a\nsummary. The newest part stays as it is.",
                "x-widget": "expression"
              }
            },
            "description": "How much of the earlier feedback is kept. If empty, all of it.",
            "title": "Keep",
            "x-show-if": {"field":"feedbackMode","in":["append"]},
            "x-group": "Feedback"
          },
          "variables": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "name": {
                  "description": "The variable's name. Templates read the variable as `{{ vars.<name> }}`.",
                  "type": "string"
                },
                "initial": {"description":"The value in the first iteration.","x-widget":"template"},
                "next": {
                  "description": "The value in the next iteration. It can use results of this iteration. If empty, the initial value stays.",
                  "x-widget": "template"
                }
              },
              "required": ["name"]
            },
            "description": "Values that change from one iteration to the next. All variables change at the same time.",
            "default": [],
            "x-group": "Feedback",
            "x-show-if": {"field":"feedbackMode","in":["variables"]}
          },
          "inputName": {
            "type": "string",
            "title": "Input alias",
            "description": "Another name for the iteration's input in templates and conditions, such as `state`.",
            "x-group": "Feedback"
          },
          "outputs": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "name": {"description":"Name of the output handle.","type":"string"},
                "from": {
                  "description": "The value to read in each iteration, such as `coder.code`.",
                  "type": "string",
                  "x-widget": "expression"
                },
                "take": {
                  "description": "Which iteration's value to use. `all` gives a list.",
                  "type": "string",
                  "enum": ["last","first","all"],
                  "default": "last"
                }
              },
              "required": ["name","from"]
            },
            "description": "Extra output handles. Each one reads a value in every iteration.",
            "default": [],
            "x-group": "Result"
          },
          "result": {
            "x-group": "Result",
            "description": "Which iteration's result the loop returns.",
            "default": "last",
            "type": "string",
            "enum": ["last","best"],
            "x-enum-help": {
              "last": "The last iteration's result.",
              "best": "The result of the iteration with the highest score."
            }
          },
          "score": {
            "type": "string",
            "description": "The number by which iterations are compared, such as `critique.score`.",
            "x-show-if": [{"field":"result","in":["best"]},{"field":"exitCondition","in":["score_plateau"]}],
            "x-group": "Result",
            "x-widget": "expression"
          },
          "limits": {
            "type": "object",
            "properties": {
              "timeout": {
                "type": "string",
                "title": "Timeout of the loop",
                "description": "The time limit of the whole loop, as an ISO 8601 duration, such as PT10M.",
                "x-format": "duration"
              },
              "iterationTimeout": {
                "type": "string",
                "title": "Timeout per iteration",
                "description": "The time limit of each iteration, as an ISO 8601 duration, such as PT2M.",
                "x-format": "duration"
              },
              "budgetUsd": {
                "type": "number",
                "x-unit": "$ per loop",
                "title": "Budget",
                "description": "The budget of the whole loop, in dollars.",
                "minimum": 0.0
              },
              "budgetTokens": {
                "type": "integer",
                "x-unit": "tokens",
                "minimum": 0,
                "title": "Token budget",
                "description": "The budget of the whole loop, in tokens."
              },
              "noProgress": {
                "type": "object",
                "properties": {
                  "rounds": {
                    "type": "integer",
                    "x-unit": "iterations",
                    "minimum": 1,
                    "title": "End without progress after",
                    "description": "The loop ends after this many iterations in a row without progress. It also ends if its iterations repeat in a cycle.",
                    "default": 2
                  },
                  "escalate": {
                    "type": "boolean",
                    "title": "Try another way first",
                    "description": "Instead of ending, continue once with `loopEscalated` set, so that a Router can choose another model or agent. If\nthat makes no progress either, the loop ends.",
                    "default": false
                  }
                },
                "description": "Ends the loop if its iterations no longer change anything."
              }
            },
            "description": "Limits on time and money.",
            "x-group": "Limits"
          },
          "onLimit": {
            "type": "string",
            "enum": ["return","fail"],
            "description": "What happens when a limit ends the loop before its exit condition is met.",
            "default": "return",
            "x-group": "Limits",
            "x-enum-labels": {"return":"keep the result","fail":"fail the run"}
          },
          "onError": {
            "x-enum-labels": {"fail":"fail the run","return":"keep the last good result"},
            "description": "What happens when an iteration fails.",
            "default": "fail",
            "x-group": "Limits",
            "type": "string",
            "enum": ["fail","return"],
            "x-enum-help": {"fail":"Fail the run.","return":"Return the last successful iteration's result, with a warning."}
          },
          "delay": {
            "type": "object",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["fixed","exponential"],
                "title": "Pause",
                "description": "Whether the pause stays the same or grows each time.",
                "default": "fixed"
              },
              "interval": {
                "type": "string",
                "title": "First pause",
                "description": "The first pause, as an ISO 8601 duration, such as PT5S.",
                "x-format": "duration"
              },
              "maxInterval": {
                "type": "string",
                "title": "Longest pause",
                "description": "The longest pause, as an ISO 8601 duration.",
                "x-show-if": {"field":"type","in":["exponential"]},
                "x-format": "duration"
              },
              "jitter": {
                "type": "number",
                "maximum": 1.0,
                "description": "How much of the pause is random, from 0 to 1.",
                "minimum": 0.0
              }
            },
            "required": ["interval"],
            "description": "A pause between iterations.",
            "x-group": "Limits"
          },
          "workspace": {
            "type": "object",
            "properties": {
              "source": {
                "type": "string",
                "title": "Folder",
                "description": "The folder of the project. The loop works on a private copy of it. An absolute path, or a path from the workflow's own\nfolder. If empty, the loop has no workspace.",
                "default": "",
                "x-widget": "folder"
              },
              "base": {
                "type": "string",
                "description": "The state with which the copy begins: `head`, `working` (with uncommitted and untracked files), or a branch, tag or\ncommit.",
                "default": "head"
              },
              "prepare": {
                "type": "object",
                "properties": {
                  "from": {
                    "x-enum-labels": {"auto":"use them","off":"ignore them"},
                    "description": "The files with which a repository describes how to set up a copy of it: `.worktreeinclude`,\n`.codex/environments/environment.toml`, `conductor.json`, `.cursor/worktrees.json`, `.emdash.json`,\n`.gtrconfig`. You approve each command in them.",
                    "title": "Set-up files",
                    "default": "auto",
                    "type": "string",
                    "enum": ["auto","off"],
                    "x-enum-help": {
                      "auto": "Use the repository's own set-up files, such as `.worktreeinclude` or `conductor.json`.",
                      "off": "Ignore these files."
                    }
                  },
                  "program": {
                    "type": "string",
                    "title": "Set-up program",
                    "description": "A program that makes the copy ready, such as `npm`. It runs once, instead of the commands of the set-up files."
                  },
                  "args": {
                    "type": "array",
                    "items": {"type":"string"},
                    "title": "Arguments",
                    "description": "One argument of the set-up program per line, such as `ci`.",
                    "default": [],
                    "x-widget": "names"
                  },
                  "timeout": {
                    "type": "string",
                    "title": "Time limit",
                    "description": "The time limit of each command, as an ISO 8601 duration; 30 minutes if empty.",
                    "x-format": "duration"
                  },
                  "copy": {
                    "type": "array",
                    "items": {"type":"string"},
                    "title": "Copy ignored files",
                    "description": "Files that git ignores but the copy needs, such as `.env*`, as `.gitignore` patterns.",
                    "default": [],
                    "x-widget": "names"
                  }
                },
                "description": "How the copy is prepared before the first iteration."
              },
              "protect": {
                "type": "array",
                "items": {"type":"string"},
                "title": "Protected files",
                "description": "Files that every Check restores first, such as `tests/**`, as `.gitignore` patterns.",
                "default": [],
                "x-widget": "names"
              },
              "onFailedIteration": {
                "x-enum-labels": {"keep":"keep its files","restore":"restore the previous files"},
                "title": "Failed iteration",
                "description": "What happens to the files of an iteration that fails, or that a limit ends before it is finished.",
                "default": "keep",
                "type": "string",
                "enum": ["keep","restore"],
                "x-enum-help": {
                  "keep": "The files stay as the iteration left them.",
                  "restore": "The files are restored to the state before the iteration."
                }
              },
              "confine": {
                "x-enum-labels": {"auto":"only in the workspace","off":"everywhere"},
                "description": "Where programs and agents may write.",
                "default": "auto",
                "type": "string",
                "enum": ["auto","off"],
                "x-enum-help": {
                  "auto": "Programs may write only in the workspace, if this computer can enforce that.",
                  "off": "Programs may write everywhere."
                }
              }
            },
            "description": "The private copy of a folder in which the loop's nodes work.",
            "x-group": "Workspace"
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          }
        }
      },
      "defaults": {"maxIterations":5,"exitCondition":"max_iterations","feedbackMode":"replace"},
      "hidden": false
    },
    {
      "type": "exit",
      "title": "Exit",
      "category": "logic",
      "icon": "log-out",
      "summary": "leave the loop",
      "doc": "Marks the end of a Loop. The value that reaches it is the iteration's result. When the loop ends, the final result leaves through `output`. If the loop is exhausted and `exhausted` is wired, the result leaves through `exhausted` instead.",
      "shape": "scope_end",
      "repeats": null,
      "pairedWith": "loop",
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"exhausted","label":"exhausted","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "schema": {"type":"object","properties":{}},
      "defaults": {},
      "hidden": false
    },
    {
      "type": "iterator",
      "title": "Iterator",
      "category": "logic",
      "icon": "rows-3",
      "summary": "for each item",
      "doc": "Runs the nodes between it and its Aggregator once for each item of a list, several items at a time. Templates in these nodes can read `item` and `index`. The results are in the order of the items.",
      "shape": "scope_start",
      "repeats": "each",
      "pairedWith": "aggregator",
      "exits": [],
      "inputs": [{"name":"items","label":"items","valueType":"json","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"item","label":"item","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"index","label":"index","valueType":"number","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "concurrency": {
            "type": "integer",
            "default": 4,
            "minimum": 1,
            "description": "How many items run at the same time.",
            "maximum": 64
          },
          "onError": {
            "default": "fail",
            "description": "What happens when an item fails.",
            "type": "string",
            "enum": ["fail","skip","collect"],
            "x-enum-help": {
              "fail": "Stop at the first failing item. The iterator fails.",
              "skip": "Leave failing items out of the results.",
              "collect": "Put null in the results for a failing item, and describe the failure in `errors`."
            }
          }
        }
      },
      "defaults": {"concurrency":4,"onError":"fail"},
      "hidden": false
    },
    {
      "type": "aggregator",
      "title": "Aggregator",
      "category": "logic",
      "icon": "merge",
      "summary": "gather results",
      "doc": "Combines several values into a list, one text or one object. After an Iterator it collects one value per item, in the order of the items. Without an Iterator it collects everything that is wired to its input, in the order of the wires.",
      "shape": "scope_end",
      "repeats": null,
      "pairedWith": "iterator",
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":true,"always":false}],
      "outputs": [
        {"name":"results","label":"results","valueType":"json","primary":true,"many":false,"always":false},
        {"name":"count","label":"count","valueType":"number","primary":false,"many":false,"always":false},
        {"name":"errors","label":"errors","valueType":"json","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "mode": {
            "default": "array",
            "description": "How the values are combined.",
            "type": "string",
            "enum": ["array","concat","merge"],
            "x-enum-help": {
              "array": "A list of the values.",
              "concat": "One text: the values joined by the separator.",
              "merge": "One object, in which later fields override earlier ones, or one list."
            }
          },
          "separator": {
            "type": "string",
            "description": "The text between two values.",
            "default": "\n",
            "x-widget": "textarea",
            "x-show-if": {"field":"mode","in":["concat"]}
          },
          "strategy": {
            "x-hidden": true,
            "description": "An older name of `mode`.",
            "x-enum-help": {
              "array": "A list of the values.",
              "concat": "One text: the values joined by the separator.",
              "merge": "One object, in which later fields override earlier ones, or one list."
            },
            "type": "string",
            "enum": ["array","concat","merge"]
          }
        }
      },
      "defaults": {"mode":"array"},
      "hidden": false
    },
    {
      "type": "subflow",
      "title": "Subflow",
      "category": "logic",
      "icon": "workflow",
      "summary": "a workflow as one node",
      "doc": "Runs another workflow as one node. The node's inputs and outputs are the inputs and outputs of that workflow, by name. The first of each is the main one. The workflow is stored in the node, or in a file in this workflow's folder. Inside, `run.inputs` are the subflow's own inputs, and templates can't read anything outside that isn't wired to the node. Nodes inside have paths such as `polish/draft`.",
      "shape": "subflow",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [],
      "outputs": [],
      "schema": {
        "type": "object",
        "properties": {
          "ref": {
            "type": "string",
            "title": "File",
            "description": "The workflow file, such as `lib/polish.flow.json`. It must be in this workflow's folder or below it. It is read once, when a\nrun starts."
          },
          "flow": {
            "type": "object",
            "additionalProperties": true,
            "description": "The flow itself, if it is stored here instead of in a file.",
            "x-hidden": true
          },
          "from": {
            "type": "string",
            "description": "The file that the flow stored here was read from. It is not read again.",
            "x-hidden": true
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          },
          "timeout": {
            "type": "string",
            "x-format": "duration",
            "x-group": "Calls that fail",
            "title": "Timeout",
            "description": "Cancel each attempt after this time.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "none",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1H",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "repeat"
          }
        }
      },
      "defaults": {},
      "hidden": false
    },
    {
      "type": "note",
      "title": "Note",
      "category": "flow",
      "icon": "sticky-note",
      "summary": "plain comment",
      "doc": "Markdown text on the canvas. It never runs and has no handles.",
      "shape": "annotation",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [],
      "outputs": [],
      "schema": {
        "type": "object",
        "properties": {
          "text": {"type":"string","description":"The note's text, in Markdown.","default":"","x-widget":"textarea"},
          "content": {"type":"string","description":"An older name of `text`.","x-hidden":true}
        }
      },
      "defaults": {"text":""},
      "hidden": false
    },
    {
      "type": "http_request",
      "title": "HTTP request (AI Studio)",
      "category": "tools",
      "icon": "globe",
      "summary": "fetch a page",
      "doc": "The HTTP node of AI Studio. It exists so that AI Studio workflows run unchanged. In new workflows, use a Tool with `http.request`. The output is the response body, and `status` is the HTTP status.",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [
        {"name":"url","label":"url","valueType":"text","primary":true,"many":false,"always":false},
        {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [
        {"name":"body","label":"body","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"status","label":"status","valueType":"number","primary":false,"many":false,"always":false},
        {"name":"headers","label":"headers","valueType":"json","primary":false,"many":false,"always":false}
      ],
      "schema": {
        "type": "object",
        "properties": {
          "method": {"type":"string","enum":["GET","POST"],"description":"The HTTP method.","default":"GET"},
          "url": {
            "type": "string",
            "description": "The URL, as a template. A wire to `url` overrides it.",
            "default": "",
            "x-widget": "template"
          },
          "body": {
            "type": "string",
            "description": "The request body, as a template. A wire to `body` overrides it.",
            "default": "",
            "x-widget": "template"
          },
          "headers": {
            "type": "object",
            "additionalProperties": true,
            "description": "Header fields by name.",
            "default": {},
            "x-widget": "json"
          },
          "timeout": {
            "type": "integer",
            "maximum": 120,
            "minimum": 1,
            "description": "How long to wait for the response, in seconds."
          },
          "approval": {
            "default": "ask",
            "description": "Whether the request may be sent without asking.",
            "type": "string",
            "enum": ["auto","ask","deny"],
            "x-enum-help": {"auto":"Run without asking.","ask":"Ask a person before each use.","deny":"Never run."}
          },
          "disabled": {
            "type": "boolean",
            "default": false,
            "x-group": "Node",
            "title": "Bypass this node",
            "description": "The node's main input goes straight to its main output.",
            "x-common": true
          },
          "retry": {
            "type": "object",
            "x-group": "Calls that fail",
            "title": "Retry",
            "description": "Whether a failed call is repeated.",
            "properties": {
              "type": {
                "type": "string",
                "enum": ["none","fixed","exponential"],
                "default": "none",
                "title": "Pause",
                "description": "How long to wait before the next attempt.",
                "x-enum-help": {
                  "none": "Fail the node on the first failed call.",
                  "fixed": "Wait the same time before each attempt.",
                  "exponential": "Double the pause before each further attempt."
                }
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 3,
                "title": "Retries",
                "description": "The maximum number of retries.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "interval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1S",
                "title": "First pause",
                "description": "The pause before the first retry.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "maxInterval": {
                "type": "string",
                "x-format": "duration",
                "default": "PT1H",
                "title": "Longest pause",
                "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "minInterval": {
                "type": "string",
                "x-format": "duration",
                "description": "The minimum pause, even with jitter.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "jitter": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.2,
                "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              },
              "on": {
                "type": "array",
                "items": {
                  "type": ["string","integer"],
                  "minimum": 100,
                  "maximum": 599,
                  "x-known": ["timeout","network","truncated","5xx"]
                },
                "x-widget": "names",
                "title": "Retry on",
                "default": ["timeout","network","429","5xx"],
                "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete answer), 5xx, or a status code such as 429.",
                "x-show-if": {"field":"type","in":["fixed","exponential"]}
              }
            },
            "x-common": true
          },
          "whenInterrupted": {
            "type": "string",
            "enum": ["repeat","ask","fail"],
            "x-group": "Calls that fail",
            "title": "After a crash",
            "description": "What to do with a call that was interrupted by a crash.",
            "x-enum-help": {
              "repeat": "Repeat the call.",
              "ask": "Wait until a person decides whether to repeat the call.",
              "fail": "Fail the node."
            },
            "x-common": true,
            "default": "repeat"
          }
        }
      },
      "defaults": {"method":"GET","url":""},
      "hidden": true
    },
    {
      "type": "placeholder",
      "title": "Placeholder",
      "category": "logic",
      "icon": "circle-dashed",
      "summary": "not translated",
      "doc": "Takes the place of a node in an imported file that could not be translated. It keeps the source and the reason in `imported`. A run that reaches it fails. No retry, list, loop or subflow catches this failure, and the node gives no value. Replace it with a node that does the same.",
      "shape": "plain",
      "repeats": null,
      "pairedWith": null,
      "exits": [],
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":true,"always":false}],
      "outputs": [{"name":"output","label":"output","valueType":"any","primary":true,"many":false,"always":false}],
      "schema": {"type":"object","properties":{}},
      "defaults": {},
      "hidden": true
    }
  ],
  "presets": [
    {
      "id": "condition",
      "title": "Condition",
      "category": "logic",
      "icon": "git-branch",
      "summary": "if / else",
      "type": "router",
      "data": {
        "label": "Condition",
        "mode": "rules",
        "branches": [{"name":"true","when":"input == true"},{"name":"false"}],
        "fallback": "false"
      },
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [
        {"name":"true","label":"true","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"false","label":"false","valueType":"any","primary":false,"many":false,"always":false}
      ]
    },
    {
      "id": "search",
      "title": "Search",
      "category": "tools",
      "icon": "search",
      "summary": "your documents",
      "type": "tool",
      "data": {"label":"Search","tool":"search.documents","args":{"limit":5}},
      "inputs": [
        {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"query","label":"query","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"limit","label":"limit","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}]
    },
    {
      "id": "http",
      "title": "HTTP",
      "category": "tools",
      "icon": "globe",
      "summary": "call an API",
      "type": "tool",
      "data": {"label":"HTTP","tool":"http.request","args":{"url":"","method":"GET"}},
      "inputs": [
        {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"url","label":"url","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"method","label":"method","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"headers","label":"headers","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"body","label":"body","valueType":"any","primary":false,"many":false,"always":false},
        {"name":"timeout","label":"timeout","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}]
    },
    {
      "id": "mcp",
      "title": "MCP",
      "category": "tools",
      "icon": "plug",
      "summary": "server tools",
      "type": "tool",
      "data": {"label":"MCP","tool":"mcp:"},
      "inputs": [{"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false}],
      "outputs": [{"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false}]
    },
    {
      "id": "script",
      "title": "Script",
      "category": "tools",
      "icon": "square-terminal",
      "summary": "run code",
      "type": "tool",
      "data": {"label":"Script","tool":"script.lua","args":{"source":"return input"}},
      "inputs": [
        {"name":"input","label":"input","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"source","label":"source","valueType":"any","primary":false,"many":false,"always":false}
      ],
      "outputs": [
        {"name":"result","label":"result","valueType":"any","primary":true,"many":false,"always":false},
        {"name":"logs","label":"logs","valueType":"text","primary":false,"many":false,"always":false}
      ]
    }
  ],
  "convertible": [
    ["text","json"],
    ["text","any"],
    ["json","text"],
    ["json","number"],
    ["json","boolean"],
    ["json","any"],
    ["number","text"],
    ["number","json"],
    ["number","any"],
    ["boolean","text"],
    ["boolean","json"],
    ["boolean","any"],
    ["any","text"],
    ["any","json"],
    ["any","number"],
    ["any","boolean"]
  ]
};

export const templates: Reply<"templates"> = [
  {
    "id": "self-refine",
    "name": "Self-Refine",
    "description": "Draft, criticise and revise: three passes, each fixing what the critic found.",
    "category": "write",
    "document": {
      "schemaVersion": 1,
      "name": "Self-Refine",
      "description": "Draft, criticise and revise: three passes, each fixing what the critic found.",
      "nodes": [
        {
          "id": "topic",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Text",
            "name": "topic",
            "dataType": "text",
            "description": "The text to refine. Paste your own.",
            "default": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price."
          }
        },
        {
          "id": "refine",
          "type": "loop",
          "position": {"x":240,"y":160},
          "data": {"label":"Refine","maxIterations":3,"exitCondition":"max_iterations","feedbackMode":"replace"}
        },
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":500,"y":160},
          "data": {
            "label": "Draft / Revise",
            "provider": "auto",
            "builtin": "reviser",
            "systemPrompt": "You are a skilled writer. If you receive a text, correct and improve it. If you receive a draft with feedback, revise the draft to address the feedback. If you receive only a topic, write a clear and concise text about it. Return the whole text.",
            "prompt": "{{ input }}",
            "take": "marked",
            "maxTokens": 2048,
            "temperature": 0.7
          }
        },
        {
          "id": "critique",
          "type": "llm",
          "position": {"x":500,"y":480},
          "data": {
            "label": "Critic",
            "provider": "auto",
            "builtin": "critic",
            "systemPrompt": "You are a demanding editor. Critique the draft below. List 2-3 specific improvements needed. Be constructive but direct. Focus on clarity, accuracy, and completeness.",
            "prompt": "{{ input }}",
            "maxTokens": 2048,
            "temperature": 0.3
          }
        },
        {
          "id": "merge",
          "type": "transform",
          "position": {"x":780,"y":480},
          "data": {
            "label": "Merge feedback",
            "inputs": ["draft","critique"],
            "template": "PREVIOUS DRAFT:\n{{ draft }}\n\nCRITIQUE:\n{{ critique }}\n\nPlease revise the draft addressing the critique above."
          }
        },
        {"id":"exit","type":"exit","position":{"x":800,"y":160},"data":{"label":"Exit"}},
        {
          "id": "final",
          "type": "output",
          "position": {"x":1040,"y":160},
          "data": {"label":"Final","name":"refined_output","format":"text"}
        }
      ],
      "edges": [
        {
          "id": "e-topic-refine",
          "source": "topic",
          "sourceHandle": "value",
          "target": "refine",
          "targetHandle": "input"
        },
        {
          "id": "e-refine-draft",
          "source": "refine",
          "sourceHandle": "body",
          "target": "draft",
          "targetHandle": "prompt"
        },
        {
          "id": "e-draft-exit",
          "source": "draft",
          "sourceHandle": "response",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-draft-critique",
          "source": "draft",
          "sourceHandle": "response",
          "target": "critique",
          "targetHandle": "prompt"
        },
        {
          "id": "e-draft-merge",
          "source": "draft",
          "sourceHandle": "response",
          "target": "merge",
          "targetHandle": "draft"
        },
        {
          "id": "e-critique-merge",
          "source": "critique",
          "sourceHandle": "response",
          "target": "merge",
          "targetHandle": "critique"
        },
        {
          "id": "e-merge-refine",
          "source": "merge",
          "sourceHandle": "output",
          "target": "refine",
          "targetHandle": "feedback"
        },
        {"id":"e-exit-final","source":"exit","sourceHandle":"output","target":"final","targetHandle":"value"}
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "runs 3 times",
    "maxCalls": "up to 5 calls",
    "hasProject": false
  },
  {
    "id": "agentic-search",
    "name": "Agentic Search",
    "description": "Search for an answer, judge what is still missing, and search again. The answer cites its sources.",
    "category": "research",
    "document": {
      "schemaVersion": 1,
      "name": "Agentic Search",
      "description": "Search for an answer, judge what is still missing, and search again. The answer cites its sources.",
      "nodes": [
        {
          "id": "question",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Question",
            "name": "question",
            "dataType": "text",
            "required": true,
            "default": "In which year was the engineer who built the Harrow Light born?",
            "description": "What you want to know. The sample documents are about the fictional Talvane Islands. You can choose your own folder in Settings."
          }
        },
        {
          "id": "research",
          "type": "loop",
          "position": {"x":240,"y":160},
          "data": {
            "label": "Search until enough",
            "maxIterations": 5,
            "exitCondition": "evaluator",
            "feedbackMode": "append"
          }
        },
        {
          "id": "plan",
          "type": "llm",
          "position": {"x":520,"y":160},
          "data": {
            "label": "Plan search",
            "provider": "auto",
            "builtin": "planner",
            "systemPrompt": "You are a research assistant. Given a question and possibly previous search results, output ONLY a concise search query to find NEW information not already covered. No explanation, just the search query.",
            "prompt": "{{ input }}",
            "take": "marked",
            "maxTokens": 2048,
            "temperature": 0.3
          }
        },
        {
          "id": "search",
          "type": "tool",
          "position": {"x":780,"y":160},
          "data": {"label":"Search documents","tool":"search.documents","args":{"limit":3}}
        },
        {
          "id": "answer",
          "type": "llm",
          "position": {"x":300,"y":480},
          "data": {
            "label": "Synthesize answer",
            "provider": "auto",
            "builtin": "answerer",
            "systemPrompt": "You are a research assistant. Answer the question from the notes and the search results alone. Cite every statement as [n] and list the sources as [Title](path). If they do not contain the answer, say INSUFFICIENT at the start, then what is missing.",
            "prompt": "{{ input }}",
            "maxTokens": 2048,
            "temperature": 0.2
          }
        },
        {
          "id": "enough",
          "type": "router",
          "position": {"x":560,"y":480},
          "data": {
            "label": "Enough?",
            "mode": "llm",
            "provider": "auto",
            "builtin": "judge",
            "branches": ["done","continue"],
            "systemPrompt": "Evaluate if the search results answer the question. Output 'done' or 'continue' with explanation of what's missing.",
            "prompt": "{{ research.body }}\n---\n{% for hit in search.result %}[{{ hit.title }}]({{ hit.path }})\n{{ hit.text }}\n\n{% endfor %}\n---\nDraft answer:\n{{ input }}",
            "maxTokens": 2048,
            "temperature": 0
          }
        },
        {
          "id": "missing",
          "type": "transform",
          "position": {"x":800,"y":640},
          "data": {
            "label": "What's missing",
            "template": "Searched for: {{ plan.response }}\n\n{% for hit in search.result %}[{{ hit.title }}]({{ hit.path }})\n{{ hit.text }}\n\n{% endfor %}Still missing: {{ enough.reason }}"
          }
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":480},"data":{"label":"Exit"}},
        {
          "id": "result",
          "type": "output",
          "position": {"x":1040,"y":480},
          "data": {"label":"Answer","name":"answer","format":"markdown"}
        }
      ],
      "edges": [
        {
          "id": "question-research",
          "source": "question",
          "sourceHandle": "value",
          "target": "research",
          "targetHandle": "input"
        },
        {
          "id": "research-plan",
          "source": "research",
          "sourceHandle": "body",
          "target": "plan",
          "targetHandle": "prompt"
        },
        {
          "id": "plan-search",
          "source": "plan",
          "sourceHandle": "response",
          "target": "search",
          "targetHandle": "input"
        },
        {
          "id": "research-answer",
          "source": "research",
          "sourceHandle": "body",
          "target": "answer",
          "targetHandle": "prompt"
        },
        {
          "id": "search-answer",
          "source": "search",
          "sourceHandle": "result",
          "target": "answer",
          "targetHandle": "context"
        },
        {
          "id": "answer-enough",
          "source": "answer",
          "sourceHandle": "response",
          "target": "enough",
          "targetHandle": "input"
        },
        {"id":"enough-exit","source":"enough","sourceHandle":"done","target":"exit","targetHandle":"input"},
        {
          "id": "enough-missing",
          "source": "enough",
          "sourceHandle": "continue",
          "target": "missing",
          "targetHandle": "input"
        },
        {
          "id": "missing-research",
          "source": "missing",
          "sourceHandle": "output",
          "target": "research",
          "targetHandle": "feedback"
        },
        {"id":"exit-result","source":"exit","sourceHandle":"output","target":"result","targetHandle":"value"}
      ],
      "viewport": {"x":0,"y":0,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "up to 20 calls",
    "hasProject": false
  },
  {
    "id": "code-review-loop",
    "name": "Code Review Loop",
    "description": "Run the tests, review the code and fix what was found, until the reviewer approves.",
    "category": "code",
    "document": {
      "schemaVersion": 1,
      "name": "Code Review Loop",
      "description": "Run the tests, review the code and fix what was found, until the reviewer approves.",
      "nodes": [
        {
          "id": "source",
          "type": "input",
          "position": {"x":0,"y":60},
          "data": {
            "label": "Code",
            "name": "code",
            "dataType": "text",
            "required": true,
            "description": "A function in Luau.",
            "default": "-- Sums up the paid orders of a shop.\nfunction summary(orders)\n  let total = 0\n  count = 0\n  for i = 0, orders.length - 1 do\n    if orders[i].paid && orders[i].amount != 0 then\n      total = total + orders[i].amount\n      count++\n    end\n  end\n  return { total = total, count = count }\nend"
          }
        },
        {
          "id": "tests",
          "type": "input",
          "position": {"x":0,"y":320},
          "data": {
            "label": "Tests",
            "name": "tests",
            "dataType": "text",
            "required": true,
            "description": "Assertions that the function must pass.",
            "default": "local orders = {\n  { paid = true, amount = 20 },\n  { paid = false, amount = 99 },\n  { paid = true, amount = 0 },\n  { paid = true, amount = 22 },\n}\nlocal result = summary(orders)\nassert(result.total == 42, \"the paid orders come to 42, and not to \" .. result.total)\nassert(result.count == 2, \"two orders are paid for, and not \" .. result.count)\nassert(summary({}).count == 0, \"of no orders none is paid for\")\nreturn \"3 tests passed\""
          }
        },
        {
          "id": "rounds",
          "type": "loop",
          "position": {"x":260,"y":60},
          "data": {
            "label": "Until approved",
            "maxIterations": 6,
            "exitCondition": "evaluator",
            "feedbackMode": "replace",
            "inputName": "code"
          }
        },
        {
          "id": "joined",
          "type": "transform",
          "position": {"x":540,"y":60},
          "data": {"label":"Code and tests","inputs":["tests"],"template":"{{ input }}\n\n{{ tests }}"}
        },
        {
          "id": "run_tests",
          "type": "tool",
          "position": {"x":820,"y":60},
          "data": {"label":"Run the tests","tool":"script.lua","args":{"onError":"return"}}
        },
        {
          "id": "review",
          "type": "llm",
          "position": {"x":1100,"y":60},
          "data": {
            "label": "Review",
            "provider": "auto",
            "builtin": "code-reviewer",
            "systemPrompt": "You are a careful reviewer of Luau code. List every problem on a line of its own in the form: Line 3: replace `a` with `b`. Why. The last line of your answer is APPROVED when the tests pass and nothing has to change, else CHANGES.",
            "prompt": "CODE:\n{{ code }}\n\nTESTS:\n{{ input }}",
            "maxTokens": 2048,
            "temperature": 0.2
          }
        },
        {
          "id": "judged",
          "type": "transform",
          "position": {"x":540,"y":480},
          "data": {
            "label": "Code with its review",
            "template": "{\"code\": {{ code | json }}, \"review\": {{ input | json }}}",
            "outputFormat": "json"
          }
        },
        {
          "id": "verdict",
          "type": "router",
          "position": {"x":820,"y":480},
          "data": {
            "label": "Verdict",
            "mode": "rules",
            "branches": [
              {"name":"approved","when":"input.review | trim | split(pat=\"\\n\") | last == \"APPROVED\""},
              "changes"
            ],
            "fallback": "changes"
          }
        },
        {
          "id": "fix",
          "type": "llm",
          "position": {"x":820,"y":800},
          "data": {
            "label": "Fix",
            "provider": "auto",
            "builtin": "code-fixer",
            "systemPrompt": "You are a programmer. Make the changes that the review asks for, and no others. Answer with the whole code and nothing else.",
            "prompt": "CODE:\n{{ input.code }}\n\nREVIEW:\n{{ input.review }}",
            "take": "code",
            "maxTokens": 2048,
            "temperature": 0.2
          }
        },
        {"id":"exit","type":"exit","position":{"x":1100,"y":480},"data":{"label":"Exit"}},
        {
          "id": "final_code",
          "type": "transform",
          "position": {"x":1380,"y":400},
          "data": {"label":"The code","template":"{{ input.code }}"}
        },
        {
          "id": "final",
          "type": "output",
          "position": {"x":1640,"y":400},
          "data": {"label":"Code","name":"code","format":"text"}
        },
        {
          "id": "words",
          "type": "transform",
          "position": {"x":1380,"y":660},
          "data": {"label":"The review","template":"{{ input.review }}"}
        },
        {
          "id": "said",
          "type": "output",
          "position": {"x":1640,"y":660},
          "data": {"label":"Last review","name":"review","format":"text"}
        }
      ],
      "edges": [
        {
          "id": "e-source-rounds",
          "source": "source",
          "sourceHandle": "value",
          "target": "rounds",
          "targetHandle": "input"
        },
        {
          "id": "e-rounds-joined",
          "source": "rounds",
          "sourceHandle": "body",
          "target": "joined",
          "targetHandle": "input"
        },
        {
          "id": "e-tests-joined",
          "source": "tests",
          "sourceHandle": "value",
          "target": "joined",
          "targetHandle": "tests"
        },
        {
          "id": "e-joined-run_tests",
          "source": "joined",
          "sourceHandle": "output",
          "target": "run_tests",
          "targetHandle": "source"
        },
        {
          "id": "e-run_tests-review",
          "source": "run_tests",
          "sourceHandle": "result",
          "target": "review",
          "targetHandle": "prompt"
        },
        {
          "id": "e-review-judged",
          "source": "review",
          "sourceHandle": "response",
          "target": "judged",
          "targetHandle": "input"
        },
        {
          "id": "e-judged-verdict",
          "source": "judged",
          "sourceHandle": "output",
          "target": "verdict",
          "targetHandle": "input"
        },
        {
          "id": "e-verdict-exit",
          "source": "verdict",
          "sourceHandle": "approved",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-verdict-fix",
          "source": "verdict",
          "sourceHandle": "changes",
          "target": "fix",
          "targetHandle": "prompt"
        },
        {
          "id": "e-fix-rounds",
          "source": "fix",
          "sourceHandle": "response",
          "target": "rounds",
          "targetHandle": "feedback"
        },
        {
          "id": "e-exit-final_code",
          "source": "exit",
          "sourceHandle": "output",
          "target": "final_code",
          "targetHandle": "input"
        },
        {
          "id": "e-final_code-final",
          "source": "final_code",
          "sourceHandle": "output",
          "target": "final",
          "targetHandle": "value"
        },
        {"id":"e-exit-words","source":"exit","sourceHandle":"output","target":"words","targetHandle":"input"},
        {"id":"e-words-said","source":"words","sourceHandle":"output","target":"said","targetHandle":"value"}
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "up to 11 calls",
    "hasProject": false
  },
  {
    "id": "fix-until-green",
    "name": "Fix until green",
    "description": "Run the tests of a project, and edit its files according to the failures until the tests pass.",
    "category": "code",
    "document": {
      "schemaVersion": 1,
      "name": "Fix until green",
      "description": "Run the tests of a project, and edit its files according to the failures until the tests pass.",
      "nodes": [
        {
          "id": "task",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Task",
            "name": "task",
            "dataType": "text",
            "required": true,
            "description": "What to do.",
            "default": "Find out why the tests fail, and repair the functions."
          }
        },
        {
          "id": "repair",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {
            "label": "Until the tests pass",
            "maxIterations": 6,
            "exitCondition": "evaluator",
            "workspace": {"source":"project","base":"working","protect":["tests/**"],"confine":"auto"}
          }
        },
        {
          "id": "tests",
          "type": "check",
          "position": {"x":540,"y":160},
          "data": {"label":"Run the tests","program":"sh","args":["tests/run.sh"],"cwd":".","report":"tap"}
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "read",
          "type": "tool",
          "position": {"x":540,"y":540},
          "data": {"label":"Read the functions","tool":"files.read","args":{"path":"functions.sh"}}
        },
        {
          "id": "plan",
          "type": "tool",
          "position": {"x":820,"y":540},
          "data": {
            "label": "Work out the edits",
            "tool": "script.python",
            "args": {
              "failures": "{{ tests.failures }}",
              "source": "# Reads what each failed test expected and got, and proposes one change to the function that it called.\n# A wrong word becomes the expected one; behind a wrong number is taken to be a wrong operator, so the next one is tried.\noperators = [\"+\", \"-\", \"*\", \"/\"]\nedits = []\nchanged = []\nfor failure in failures:\n    called = failure[\"name\"].split(\" \")[0]\n    said = (failure[\"message\"] or \"\").split(\"\\n\")\n    expected = \"\"\n    got = \"\"\n    for line in said:\n        if line.startswith(\"expected: \"):\n            expected = line[10:]\n        if line.startswith(\"got: \"):\n            got = line[5:]\n    if called in changed:\n        continue\n    for line in input.split(\"\\n\"):\n        if not line.startswith(called + \"()\"):\n            continue\n        better = line\n        wanted = expected.split(\" \")\n        had = got.split(\" \")\n        if expected.isdigit() and got.lstrip(\"-\").isdigit():\n            for k in range(len(operators)):\n                if (\" \" + operators[k] + \" \") in line:\n                    better = line.replace(\" \" + operators[k] + \" \", \" \" + operators[(k + 1) % len(operators)] + \" \")\n                    break\n        elif len(wanted) == len(had):\n            for k in range(len(had)):\n                if had[k] != wanted[k] and had[k] in line:\n                    better = line.replace(had[k], wanted[k], 1)\n                    break\n        if better != line:\n            edits.append({\"path\": \"functions.sh\", \"old\": line, \"new\": better})\n            changed.append(called)\nedits"
            }
          }
        },
        {
          "id": "edit",
          "type": "tool",
          "position": {"x":1080,"y":560},
          "data": {"label":"Edit the functions","tool":"files.edit","args":{}}
        },
        {
          "id": "fixed",
          "type": "output",
          "position": {"x":1080,"y":20},
          "data": {"label":"Fixed","name":"fixed","format":"text"}
        },
        {
          "id": "unfixed",
          "type": "output",
          "position": {"x":1080,"y":200},
          "data": {"label":"Not fixed","name":"unfixed","format":"text"}
        },
        {
          "id": "changes",
          "type": "output",
          "position": {"x":1080,"y":380},
          "data": {"label":"Changes","name":"changes","format":"json"}
        },
        {
          "id": "note",
          "type": "note",
          "position": {"x":260,"y":820},
          "data": {
            "text": "The loop works in a private copy of the folder `project`. Nothing in the folder itself changes until you apply the result: `loopwright workspace apply last --as working`.\n\n**To use your own project**, name its folder in the Loop and its command in the Check. Replace the three tools with an Agent, or with an LLM that has the tools `files.read`, `files.glob` and `files.edit`, as in the template *Fix until green with a model*."
          }
        }
      ],
      "edges": [
        {
          "id": "e-task-value-repair",
          "source": "task",
          "sourceHandle": "value",
          "target": "repair",
          "targetHandle": "input"
        },
        {
          "id": "e-repair-body-tests",
          "source": "repair",
          "sourceHandle": "body",
          "target": "tests",
          "targetHandle": "input"
        },
        {
          "id": "e-tests-passed-exit",
          "source": "tests",
          "sourceHandle": "passed",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-tests-failed-read",
          "source": "tests",
          "sourceHandle": "failed",
          "target": "read",
          "targetHandle": "input"
        },
        {
          "id": "e-read-result-plan",
          "source": "read",
          "sourceHandle": "result",
          "target": "plan",
          "targetHandle": "input"
        },
        {
          "id": "e-plan-result-edit",
          "source": "plan",
          "sourceHandle": "result",
          "target": "edit",
          "targetHandle": "input"
        },
        {
          "id": "e-edit-result-repair",
          "source": "edit",
          "sourceHandle": "result",
          "target": "repair",
          "targetHandle": "feedback"
        },
        {
          "id": "e-exit-output-fixed",
          "source": "exit",
          "sourceHandle": "output",
          "target": "fixed",
          "targetHandle": "value"
        },
        {
          "id": "e-exit-exhausted-unfixed",
          "source": "exit",
          "sourceHandle": "exhausted",
          "target": "unfixed",
          "targetHandle": "value"
        },
        {
          "id": "e-repair-workspace-changes",
          "source": "repair",
          "sourceHandle": "workspace",
          "target": "changes",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "no model calls",
    "hasProject": true
  },
  {
    "id": "fix-until-green-with-a-model",
    "name": "Fix until green with a model",
    "description": "Run the tests of a project, and let a model edit its files until they pass. It needs a model that uses tools.",
    "category": "code",
    "document": {
      "schemaVersion": 1,
      "name": "Fix until green with a model",
      "description": "Run the tests of a project, and let a model edit its files until they pass. It needs a model that uses tools.",
      "nodes": [
        {
          "id": "task",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Task",
            "name": "task",
            "dataType": "text",
            "required": true,
            "description": "What to do.",
            "default": "Find out why the tests fail, and repair the functions."
          }
        },
        {
          "id": "repair",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {
            "label": "Until the tests pass",
            "maxIterations": 6,
            "exitCondition": "evaluator",
            "workspace": {"source":"project","base":"working","protect":["tests/**"],"confine":"auto"}
          }
        },
        {
          "id": "tests",
          "type": "check",
          "position": {"x":540,"y":160},
          "data": {"label":"Run the tests","program":"sh","args":["tests/run.sh"],"cwd":".","report":"tap"}
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "fix",
          "type": "llm",
          "position": {"x":820,"y":500},
          "data": {
            "label": "Fix",
            "provider": "auto",
            "systemPrompt": "You repair the code of a project. Find the files with files_glob, read them with files_read, and change them with files_edit. You cannot run programs: the tests run after you have answered. When the edits are made, answer in one or two sentences what was wrong and what you changed.",
            "prompt": "{{ run.inputs.task }}\n\nWhat failed, as JSON:\n{{ tests.failures }}",
            "maxTokens": 8192,
            "tools": ["files.glob","files.read","files.edit"],
            "session": "loop"
          }
        },
        {
          "id": "fixed",
          "type": "output",
          "position": {"x":1080,"y":20},
          "data": {"label":"Fixed","name":"fixed","format":"text"}
        },
        {
          "id": "unfixed",
          "type": "output",
          "position": {"x":1080,"y":200},
          "data": {"label":"Not fixed","name":"unfixed","format":"text"}
        },
        {
          "id": "changes",
          "type": "output",
          "position": {"x":1080,"y":380},
          "data": {"label":"Changes","name":"changes","format":"json"}
        },
        {
          "id": "note",
          "type": "note",
          "position": {"x":260,"y":820},
          "data": {
            "text": "The loop works in a private copy of the folder `project`. Nothing in the folder itself changes until you apply the result: `loopwright workspace apply last --as working`.\n\nThe model only lists, reads and edits files; it runs no programs. For your own project, `loopwright until \"npm test\" --with model:NAME` creates this workflow."
          }
        }
      ],
      "edges": [
        {
          "id": "e-task-value-repair",
          "source": "task",
          "sourceHandle": "value",
          "target": "repair",
          "targetHandle": "input"
        },
        {
          "id": "e-repair-body-tests",
          "source": "repair",
          "sourceHandle": "body",
          "target": "tests",
          "targetHandle": "input"
        },
        {
          "id": "e-tests-passed-exit",
          "source": "tests",
          "sourceHandle": "passed",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-tests-failed-fix",
          "source": "tests",
          "sourceHandle": "failed",
          "target": "fix",
          "targetHandle": "prompt"
        },
        {
          "id": "e-fix-response-repair",
          "source": "fix",
          "sourceHandle": "response",
          "target": "repair",
          "targetHandle": "feedback"
        },
        {
          "id": "e-exit-output-fixed",
          "source": "exit",
          "sourceHandle": "output",
          "target": "fixed",
          "targetHandle": "value"
        },
        {
          "id": "e-exit-exhausted-unfixed",
          "source": "exit",
          "sourceHandle": "exhausted",
          "target": "unfixed",
          "targetHandle": "value"
        },
        {
          "id": "e-repair-workspace-changes",
          "source": "repair",
          "sourceHandle": "workspace",
          "target": "changes",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "up to 200 calls",
    "hasProject": true
  },
  {
    "id": "ralph",
    "name": "Ralph",
    "description": "In each iteration, a new coding agent completes one item of a plan, until the plan is done. Notes in a file tell the next agent what it needs to know.",
    "category": "code",
    "document": {
      "schemaVersion": 1,
      "name": "Ralph",
      "description": "In each iteration, a new coding agent completes one item of a plan, until the plan is done. Notes in a file tell the next agent what it needs to know.",
      "nodes": [
        {
          "id": "task",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Task",
            "name": "task",
            "dataType": "text",
            "required": true,
            "description": "The task that every agent receives.",
            "default": "Read NOTES.md, then PLAN.md. Do the first open item of the plan, and only that one. Run `sh check.sh`. When the item is done and the tests pass, tick it in PLAN.md. Then add to NOTES.md what the next agent needs to know, in one or two lines."
          }
        },
        {
          "id": "ralph",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {
            "label": "Until the plan is done",
            "maxIterations": 20,
            "exitCondition": "evaluator",
            "limits": {"budgetUsd":5},
            "workspace": {"source":"project","base":"working","protect":["check.sh"],"confine":"auto"}
          }
        },
        {
          "id": "check",
          "type": "check",
          "position": {"x":540,"y":160},
          "data": {"label":"Is the plan done?","program":"sh","args":["check.sh"],"cwd":".","report":"tap"}
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "agent",
          "type": "agent",
          "position": {"x":820,"y":460},
          "data": {
            "label": "A fresh agent",
            "runner": "claude-code",
            "cwd": ".",
            "session": "fresh",
            "sandbox": "workspace",
            "prompt": "{{ run.inputs.task }}\n\nThis is iteration {{ loopIndex }}. After the first one, the context is what the agent before you said.\n\nWhat is open or fails, as JSON:\n{{ check.failures }}"
          }
        },
        {
          "id": "done",
          "type": "output",
          "position": {"x":1080,"y":60},
          "data": {"label":"Done","name":"done","format":"text"}
        },
        {
          "id": "undone",
          "type": "output",
          "position": {"x":1080,"y":240},
          "data": {"label":"Not done","name":"undone","format":"text"}
        },
        {
          "id": "changes",
          "type": "output",
          "position": {"x":1080,"y":420},
          "data": {"label":"Changes","name":"changes","format":"json"}
        },
        {
          "id": "note",
          "type": "note",
          "position": {"x":260,"y":780},
          "data": {
            "text": "Each iteration starts a new agent that remembers nothing of earlier iterations (`session: fresh`). It passes on what it learned in files: PLAN.md lists what is open, and NOTES.md contains what the next agent needs to know. The Loop has a budget, and the Check decides when the plan is done.\n\nChoose another agent in *A fresh agent*: `codex`, `gemini` or one from Settings. The loop works in a private copy of the folder `project`. Nothing in the folder itself changes until you apply the result: `loopwright workspace apply last --as working`."
          }
        }
      ],
      "edges": [
        {
          "id": "e-task-value-ralph",
          "source": "task",
          "sourceHandle": "value",
          "target": "ralph",
          "targetHandle": "input"
        },
        {
          "id": "e-ralph-body-check",
          "source": "ralph",
          "sourceHandle": "body",
          "target": "check",
          "targetHandle": "input"
        },
        {
          "id": "e-check-passed-exit",
          "source": "check",
          "sourceHandle": "passed",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-check-failed-agent",
          "source": "check",
          "sourceHandle": "failed",
          "target": "agent",
          "targetHandle": "context"
        },
        {
          "id": "e-agent-response-ralph",
          "source": "agent",
          "sourceHandle": "response",
          "target": "ralph",
          "targetHandle": "feedback"
        },
        {
          "id": "e-exit-output-done",
          "source": "exit",
          "sourceHandle": "output",
          "target": "done",
          "targetHandle": "value"
        },
        {
          "id": "e-exit-exhausted-undone",
          "source": "exit",
          "sourceHandle": "exhausted",
          "target": "undone",
          "targetHandle": "value"
        },
        {
          "id": "e-ralph-workspace-changes",
          "source": "ralph",
          "sourceHandle": "workspace",
          "target": "changes",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "up to 19 agent turns, cost not bounded",
    "hasProject": true
  },
  {
    "id": "retry-with-correction",
    "name": "Retry with Correction",
    "description": "Check JSON against a schema, and correct it until it matches.",
    "category": "data",
    "document": {
      "schemaVersion": 1,
      "name": "Retry with Correction",
      "description": "Check JSON against a schema, and correct it until it matches.",
      "nodes": [
        {
          "id": "answer",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Answer",
            "name": "answer",
            "dataType": "text",
            "required": true,
            "description": "A booking as JSON with mistakes, as a model or a person might write it.",
            "default": "Here is the booking:\n{guest: 'Ana Pereira', \"Nights\": \"3 nights\", room: \"Duoble\", breakfast: yes, extras: \"towels, crib\", note: \"late arrival\",}"
          }
        },
        {
          "id": "retry",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {"label":"Until it fits","maxIterations":8,"exitCondition":"evaluator","feedbackMode":"replace"}
        },
        {
          "id": "check",
          "type": "validator",
          "position": {"x":540,"y":160},
          "data": {
            "label": "Check the booking",
            "schema": {
              "type": "object",
              "properties": {
                "guest": {"type":"string","minLength":1},
                "nights": {"type":"integer","minimum":1,"maximum":30},
                "room": {"enum":["single","double","suite"]},
                "breakfast": {"type":"boolean"},
                "extras": {"type":"array","items":{"type":"string"}},
                "currency": {"type":"string","default":"EUR"}
              },
              "required": ["guest","nights","room","breakfast","currency"],
              "additionalProperties": false
            }
          }
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "read",
          "type": "transform",
          "position": {"x":1080,"y":60},
          "data": {"label":"As JSON","template":"{{ input }}","outputFormat":"json"}
        },
        {
          "id": "booking",
          "type": "output",
          "position": {"x":1340,"y":60},
          "data": {"label":"Booking","name":"booking","format":"json"}
        },
        {
          "id": "unmended",
          "type": "output",
          "position": {"x":1080,"y":320},
          "data": {"label":"Not mended","name":"unmended","format":"text"}
        },
        {
          "id": "correct",
          "type": "llm",
          "position": {"x":820,"y":500},
          "data": {
            "label": "Correct",
            "provider": "auto",
            "builtin": "corrector",
            "systemPrompt": "You correct JSON. Give back the corrected JSON and nothing else. Do not invent values that are missing.",
            "prompt": "The JSON below does not fit its schema.\n\nERRORS:\n{{ check.errors }}\n\nJSON SCHEMA:\n{\n \"type\": \"object\",\n \"properties\": {\n  \"guest\": {\n   \"type\": \"string\",\n   \"minLength\": 1\n  },\n  \"nights\": {\n   \"type\": \"integer\",\n   \"minimum\": 1,\n   \"maximum\": 30\n  },\n  \"room\": {\n   \"enum\": [\n    \"single\",\n    \"double\",\n    \"suite\"\n   ]\n  },\n  \"breakfast\": {\n   \"type\": \"boolean\"\n  },\n  \"extras\": {\n   \"type\": \"array\",\n   \"items\": {\n    \"type\": \"string\"\n   }\n  },\n  \"currency\": {\n   \"type\": \"string\",\n   \"default\": \"EUR\"\n  }\n },\n \"required\": [\n  \"guest\",\n  \"nights\",\n  \"room\",\n  \"breakfast\",\n  \"currency\"\n ],\n \"additionalProperties\": false\n}\n\nJSON:\n{{ input }}",
            "maxTokens": 2048,
            "temperature": 0,
            "responseFormat": "json"
          }
        }
      ],
      "edges": [
        {
          "id": "e-answer-retry",
          "source": "answer",
          "sourceHandle": "value",
          "target": "retry",
          "targetHandle": "input"
        },
        {"id":"e-retry-check","source":"retry","sourceHandle":"body","target":"check","targetHandle":"input"},
        {"id":"e-check-exit","source":"check","sourceHandle":"valid","target":"exit","targetHandle":"input"},
        {
          "id": "e-check-correct",
          "source": "check",
          "sourceHandle": "invalid",
          "target": "correct",
          "targetHandle": "prompt"
        },
        {
          "id": "e-correct-retry",
          "source": "correct",
          "sourceHandle": "response",
          "target": "retry",
          "targetHandle": "feedback"
        },
        {"id":"e-exit-read","source":"exit","sourceHandle":"output","target":"read","targetHandle":"input"},
        {
          "id": "e-read-booking",
          "source": "read",
          "sourceHandle": "output",
          "target": "booking",
          "targetHandle": "value"
        },
        {
          "id": "e-exit-unmended",
          "source": "exit",
          "sourceHandle": "exhausted",
          "target": "unmended",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on evaluator",
    "maxCalls": "up to 14 calls",
    "hasProject": false
  },
  {
    "id": "poll-until-done",
    "name": "Poll until Done",
    "description": "Ask for the status of a job, waiting longer each time, until it is done.",
    "category": "data",
    "document": {
      "schemaVersion": 1,
      "name": "Poll until Done",
      "description": "Ask for the status of a job, waiting longer each time, until it is done.",
      "nodes": [
        {
          "id": "records",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Records",
            "name": "records",
            "dataType": "number",
            "default": 1200,
            "description": "How many records the job has to export. The job is simulated; see the note."
          }
        },
        {
          "id": "poll",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {
            "label": "Ask until done",
            "maxIterations": 12,
            "exitCondition": "condition",
            "condition": {"until":"result.status == \"done\" or result.status == \"failed\"","test":"after"},
            "feedbackMode": "variables",
            "variables": [{"name":"done","initial":0,"next":"{{ previous.ask.result.done | default(value=0) }}"}],
            "delay": {"type":"exponential","interval":"PT0.2S","maxInterval":"PT1S","jitter":0.1}
          }
        },
        {
          "id": "ask",
          "type": "tool",
          "position": {"x":540,"y":160},
          "data": {
            "label": "Ask the job",
            "tool": "script.lua",
            "args": {
              "source": "-- Stands in for a service that exports records, each time faster.\nif input < 0 or input % 1 ~= 0 then\n  return { status = \"failed\", message = \"A job needs a whole number of records, and was given \" .. input .. \".\" }\nend\nlocal done = math.min(input, vars.done + 100 * 2 ^ loopIndex)\nreturn {\n  status = if done < input then \"running\" else \"done\",\n  done = done,\n  percent = if input > 0 then math.floor(100 * done / input) else 100,\n}"
            }
          }
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "report",
          "type": "transform",
          "position": {"x":1080,"y":160},
          "data": {
            "label": "Report",
            "template": "{% if input.status == \"done\" %}Done: {{ run.inputs.records }} records exported, after asking {{ poll.count }} times.{% elif input.status == \"failed\" %}Failed: {{ input.message }}{% else %}Not done yet: {{ input.percent }} % after asking {{ poll.count }} times.{% endif %}"
          }
        },
        {
          "id": "result",
          "type": "output",
          "position": {"x":1340,"y":160},
          "data": {"label":"Result","name":"result","format":"text"}
        },
        {
          "id": "note",
          "type": "note",
          "position": {"x":540,"y":500},
          "data": {
            "text": "**With a real service** this Tool is `http.request`, with the address of the job in `url`. The condition then reads its answer: `result.body.status == \"done\"`.\n\nThe pause doubles from 0.2 s up to 1 s and varies a little at random, so that many clients do not ask at the same time."
          }
        }
      ],
      "edges": [
        {
          "id": "e-records-poll",
          "source": "records",
          "sourceHandle": "value",
          "target": "poll",
          "targetHandle": "input"
        },
        {"id":"e-poll-ask","source":"poll","sourceHandle":"body","target":"ask","targetHandle":"input"},
        {"id":"e-ask-exit","source":"ask","sourceHandle":"result","target":"exit","targetHandle":"input"},
        {
          "id": "e-exit-report",
          "source": "exit",
          "sourceHandle": "output",
          "target": "report",
          "targetHandle": "input"
        },
        {
          "id": "e-report-result",
          "source": "report",
          "sourceHandle": "output",
          "target": "result",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits on condition",
    "maxCalls": "no model calls",
    "hasProject": false
  },
  {
    "id": "summarise-until-stable",
    "name": "Summarise until Stable",
    "description": "Shorten a long text until it stops changing.",
    "category": "write",
    "document": {
      "schemaVersion": 1,
      "name": "Summarise until Stable",
      "description": "Shorten a long text until it stops changing.",
      "nodes": [
        {
          "id": "text",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Text",
            "name": "text",
            "dataType": "text",
            "required": true,
            "description": "The text to shorten. Paste your own.",
            "default": "The lighthouse on Corran Point was built in 1871, after three ships had been lost on the reef in a single winter. It stands on a rock that the sea covers at high tide, so that the builders could work for only four hours a day. The stones were cut on the mainland and numbered, and each was fitted to its neighbours before it was shipped. My grandfather always said that the wind there smells of iron. The lamp burned rape oil at first and was turned by a clockwork that the keepers wound every six hours. In 1912 the lamp was changed to paraffin, and ships could see the light from twenty miles away. Three keepers lived in the tower for two months at a time, and a boat brought food and oil when the sea allowed it. In the winter of 1936 the sea did not allow it for five weeks, and the keepers of the lighthouse burned their furniture to keep the lamp warm. The lamp has been electric since 1958 and without keepers since 1983. Today the lighthouse is looked after by a small society, which takes visitors to the rock at low tide. Tea is served on the mainland in summer. The society wants to restore the old clockwork, and ships still steer by the light on Corran Point."
          }
        },
        {
          "id": "shorten",
          "type": "loop",
          "position": {"x":260,"y":160},
          "data": {
            "label": "Until it stays the same",
            "maxIterations": 8,
            "exitCondition": "stable_output",
            "stabilityThreshold": 1,
            "feedbackMode": "replace"
          }
        },
        {
          "id": "summarise",
          "type": "llm",
          "position": {"x":540,"y":160},
          "data": {
            "label": "Summarise",
            "provider": "auto",
            "builtin": "summariser",
            "systemPrompt": "You shorten texts. Summarise the text in at most 60 words, and keep its names and numbers. When it has no more words than that, give it back as it is, word for word.",
            "prompt": "{{ input }}",
            "take": "marked",
            "maxTokens": 2048,
            "temperature": 0
          }
        },
        {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
        {
          "id": "summary",
          "type": "output",
          "position": {"x":1080,"y":160},
          "data": {"label":"Summary","name":"summary","format":"text"}
        }
      ],
      "edges": [
        {
          "id": "e-text-shorten",
          "source": "text",
          "sourceHandle": "value",
          "target": "shorten",
          "targetHandle": "input"
        },
        {
          "id": "e-shorten-summarise",
          "source": "shorten",
          "sourceHandle": "body",
          "target": "summarise",
          "targetHandle": "prompt"
        },
        {
          "id": "e-summarise-exit",
          "source": "summarise",
          "sourceHandle": "response",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-summarise-shorten",
          "source": "summarise",
          "sourceHandle": "response",
          "target": "shorten",
          "targetHandle": "feedback"
        },
        {
          "id": "e-exit-summary",
          "source": "exit",
          "sourceHandle": "output",
          "target": "summary",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "exits when stable",
    "maxCalls": "up to 8 calls",
    "hasProject": false
  },
  {
    "id": "map-over-a-list",
    "name": "Map over a list",
    "description": "Run one prompt for every item, several at a time, then collect the answers.",
    "category": "data",
    "document": {
      "schemaVersion": 1,
      "name": "Map over a list",
      "description": "Run one prompt for every item, several at a time, then collect the answers.",
      "nodes": [
        {
          "id": "list",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "List",
            "name": "items",
            "dataType": "json",
            "description": "A JSON list of strings. Each one is proofread separately.",
            "default": [
              "The museum have opened a new room on tuesday.",
              "Its larger then the old one.",
              "Visitors is asked to leave there bags at the the door.",
              "We could of opened in march.",
              "The guide speaks four languages."
            ]
          }
        },
        {
          "id": "each",
          "type": "iterator",
          "position": {"x":260,"y":160},
          "data": {"label":"For each text","concurrency":4,"onError":"collect"}
        },
        {
          "id": "proofread",
          "type": "llm",
          "position": {"x":540,"y":160},
          "data": {
            "label": "Proofread",
            "provider": "auto",
            "builtin": "reviser",
            "systemPrompt": "You are a proofreader. Correct spelling and grammar, and change nothing else. Answer with the corrected text alone.",
            "prompt": "{{ item }}",
            "take": "marked",
            "maxTokens": 2048,
            "temperature": 0
          }
        },
        {
          "id": "gather",
          "type": "aggregator",
          "position": {"x":820,"y":160},
          "data": {"label":"Gather","mode":"array"}
        },
        {
          "id": "corrected",
          "type": "output",
          "position": {"x":1080,"y":60},
          "data": {"label":"Corrected","name":"corrected","format":"json"}
        },
        {
          "id": "failed",
          "type": "output",
          "position": {"x":1080,"y":320},
          "data": {"label":"Failed items","name":"errors","format":"json"}
        }
      ],
      "edges": [
        {"id":"e-list-each","source":"list","sourceHandle":"value","target":"each","targetHandle":"items"},
        {
          "id": "e-each-proofread",
          "source": "each",
          "sourceHandle": "item",
          "target": "proofread",
          "targetHandle": "prompt"
        },
        {
          "id": "e-proofread-gather",
          "source": "proofread",
          "sourceHandle": "response",
          "target": "gather",
          "targetHandle": "input"
        },
        {
          "id": "e-gather-corrected",
          "source": "gather",
          "sourceHandle": "results",
          "target": "corrected",
          "targetHandle": "value"
        },
        {
          "id": "e-gather-failed",
          "source": "gather",
          "sourceHandle": "errors",
          "target": "failed",
          "targetHandle": "value"
        }
      ],
      "viewport": {"x":60,"y":60,"zoom":1}
    },
    "exits": "ends after the last item",
    "maxCalls": "calls per item",
    "hasProject": false
  }
];

export const newFlow: Reply<"newFlow"> = {
  "schemaVersion": 1,
  "name": "Untitled",
  "nodes": [
    {
      "id": "input",
      "type": "input",
      "position": {"x":0,"y":120},
      "data": {"label":"Input","name":"text","dataType":"text","required":true}
    },
    {
      "id": "loop",
      "type": "loop",
      "position": {"x":240,"y":100},
      "data": {"label":"Loop","maxIterations":3,"exitCondition":"max_iterations","feedbackMode":"replace"}
    },
    {"id":"exit","type":"exit","position":{"x":780,"y":120},"data":{"label":"Exit"}},
    {
      "id": "output",
      "type": "output",
      "position": {"x":1000,"y":120},
      "data": {"label":"Output","name":"result","format":"text"}
    }
  ],
  "edges": [
    {"id":"e-input-loop","source":"input","sourceHandle":"value","target":"loop","targetHandle":"input"},
    {"id":"e-exit-output","source":"exit","sourceHandle":"output","target":"output","targetHandle":"value"}
  ],
  "viewport": {"x":40,"y":80,"zoom":1}
};

export const tools: Reply<"tools"> = [
  {
    "name": "search.documents",
    "title": "Search documents",
    "summary": "Full-text search in a folder (.md .markdown .txt .text .html .htm .json and source files). Searches the sample collection, articles about the fictional Talvane Islands, until you choose a documents folder in Settings. Nothing leaves this computer.",
    "args": {
      "type": "object",
      "properties": {
        "query": {"type":"string","description":"What to look for, in plain words. Default: the node's input."},
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 50,
          "default": 5,
          "description": "The maximum number of documents. The best matches come first."
        },
        "folder": {
          "type": "string",
          "description": "Search this folder instead of the one in Settings. Use an absolute path, or a path from the workflow's own folder. You approve it before the run."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "http.request",
    "title": "HTTP request",
    "summary": "Sends one request and returns `{ status, headers, body }`. A JSON body is parsed. The response may be up to 2 MB. The workflow can reach only hosts that you approve. Access to this computer and its network needs a separate approval.",
    "args": {
      "type": "object",
      "properties": {
        "url": {"type":"string","description":"An http or https URL. Default: the node's input."},
        "method": {
          "type": "string",
          "enum": ["GET","HEAD","POST","PUT","PATCH","DELETE"],
          "default": "GET",
          "description": "The HTTP method."
        },
        "headers": {
          "type": "object",
          "description": "Header fields by name. A value is text, or `{ \"key\": \"MY_TOKEN\", \"prefix\": \"Bearer \" }` for a stored secret, which the workflow never sees. Headers are not sent to another host after a redirect.",
          "additionalProperties": true
        },
        "body": {"description":"The request body. Text is sent unchanged, and other values are sent as JSON."},
        "timeout": {
          "type": "integer",
          "minimum": 1,
          "maximum": 120,
          "default": 30,
          "description": "The time limit for the whole call, in seconds."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "script.lua",
    "title": "Run a script in Luau",
    "summary": "Runs a script in Luau (a typed Lua) and returns its result as JSON. The script has no access to files, the network, the clock or random numbers. By default, it may run for 2 s, use 256 MB of memory and return 1 MB.",
    "args": {
      "type": "object",
      "properties": {
        "source": {
          "type": "string",
          "description": "The script. Everything that a template can read here is available as globals, and so are the other arguments, by name. `inputs` contains all arguments.",
          "x-widget": "code"
        },
        "onError": {
          "enum": ["fail","return"],
          "default": "fail",
          "description": "What happens on an error in the script. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, line, column, message } }`."
        },
        "timeout": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 60,
          "default": 2,
          "description": "The time limit in seconds."
        },
        "memory": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 1024,
          "default": 256,
          "description": "The memory limit in MB."
        },
        "names": {
          "type": "object",
          "description": "Variables for the script. A Tool node sets this to the values that the script reads.",
          "x-widget": "hidden"
        }
      },
      "required": ["source"],
      "additionalProperties": true
    },
    "unavailable": null
  },
  {
    "name": "script.python",
    "title": "Run a script in Python",
    "summary": "Runs a script in Python and returns its result as JSON. The script has no access to files, the network, the clock or random numbers. By default, it may run for 2 s, use 256 MB of memory and return 1 MB.",
    "args": {
      "type": "object",
      "properties": {
        "source": {
          "type": "string",
          "description": "The script. Everything that a template can read here is available as variables, and so are the other arguments, by name. `inputs` contains all arguments.",
          "x-widget": "code"
        },
        "onError": {
          "enum": ["fail","return"],
          "default": "fail",
          "description": "What happens on an error in the script. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, line, column, message } }`."
        },
        "timeout": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 60,
          "default": 2,
          "description": "The time limit in seconds."
        },
        "memory": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 1024,
          "default": 256,
          "description": "The memory limit in MB."
        },
        "names": {
          "type": "object",
          "description": "Variables for the script. A Tool node sets this to the values that the script reads.",
          "x-widget": "hidden"
        }
      },
      "required": ["source"],
      "additionalProperties": true
    },
    "unavailable": null
  },
  {
    "name": "script.javascript",
    "title": "Run a script in JavaScript",
    "summary": "Runs a script in JavaScript and returns its result as JSON. The script has no access to files, the network, the clock or random numbers. By default, it may run for 2 s, use 256 MB of memory and return 1 MB.",
    "args": {
      "type": "object",
      "properties": {
        "source": {
          "type": "string",
          "description": "The script. Everything that a template can read here is available as variables, and so are the other arguments, by name. `inputs` contains all arguments.",
          "x-widget": "code"
        },
        "onError": {
          "enum": ["fail","return"],
          "default": "fail",
          "description": "What happens on an error in the script. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, line, column, message } }`."
        },
        "timeout": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 60,
          "default": 2,
          "description": "The time limit in seconds."
        },
        "memory": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 1024,
          "default": 256,
          "description": "The memory limit in MB."
        },
        "names": {
          "type": "object",
          "description": "Variables for the script. A Tool node sets this to the values that the script reads.",
          "x-widget": "hidden"
        }
      },
      "required": ["source"],
      "additionalProperties": true
    },
    "unavailable": null
  },
  {
    "name": "expression.azure",
    "title": "Evaluate an Azure expression",
    "summary": "Evaluates a Workflow Definition Language expression, as used by Azure Logic Apps and Power Automate, such as @concat('Hello ', variables('name')). The expression has no access to files, the network or the clock. The time and random values come from `now` and `seed`.",
    "args": {
      "type": "object",
      "properties": {
        "source": {
          "description": "The expression, such as @add(variables('n'), 1), or JSON with expressions as text values.",
          "x-widget": "code"
        },
        "from": {
          "description": "An expression that returns an array. `source` is then evaluated for each element. item() returns the element."
        },
        "where": {"description":"A filter for `from`. Elements for which this expression is false are left out."},
        "merge": {
          "type": "boolean",
          "default": false,
          "description": "Merge the expression's result, an object, into the input: `{ \"variables\": { \"n\": 3 } }` changes one variable."
        },
        "dialect": {
          "enum": ["azure","loom"],
          "default": "azure",
          "description": "With `loom`, a missing property is null, and booleans in text are written as true and false."
        },
        "onError": {
          "enum": ["fail","return"],
          "default": "fail",
          "description": "What happens on an error. `fail` fails the node. `return` returns `{ ok, value }` or `{ ok, error: { code, message } }`."
        },
        "variables": {
          "type": "object",
          "description": "Values of variables('name'). Default: the field `variables` of the node's input. `parameters`, `outputs` and so on default to their own fields in the same way."
        },
        "parameters": {"type":"object","description":"Values of parameters('name')."},
        "outputs": {"type":"object","description":"Values of outputs('name') and body('name')."},
        "actions": {
          "type": "object",
          "description": "The names of all actions. An action without outputs has not run and counts as null."
        },
        "items": {"type":"object","description":"Values of items('name')."},
        "item": {"description":"The value of item()."},
        "indexes": {"type":"object","description":"Values of iterationIndexes('name')."},
        "trigger": {"type":"object","description":"The value of triggerOutputs(), with its `body`."},
        "now": {"type":"string","description":"The value of utcNow(), such as 2025-01-31T12:00:00Z."},
        "seed": {"type":"integer","description":"The seed of rand() and guid()."},
        "names": {
          "type": "object",
          "description": "Used if there is no primary input. The field `input` contains the sections.",
          "x-widget": "hidden"
        }
      },
      "required": ["source"],
      "additionalProperties": true
    },
    "unavailable": null
  },
  {
    "name": "template.jinja",
    "title": "Render a Jinja template",
    "summary": "Renders a Jinja2 template with the same result as in Python, including how values are written: None, True, ['a', 1]. A template that is a single expression keeps the value's type. Undefined names are errors. A construct that can't be reproduced exactly causes an error that names it. The template has no access to files, the network, the clock or random numbers, and has the limits of a script.",
    "args": {
      "type": "object",
      "properties": {
        "source": {
          "description": "The template, such as Hello {{ input.name }}, or JSON with templates as text values. It can read `input` and all other arguments by name.",
          "x-widget": "code"
        }
      },
      "required": ["source"],
      "additionalProperties": true
    },
    "unavailable": "Scripts cannot be checked or run: LOOPWRIGHT_SCRIPTS is `/loopwright-scripts`, which is not the absolute path of a program. Correct or unset the variable."
  },
  {
    "name": "command",
    "title": "Run a program",
    "summary": "Runs a program without a shell and returns its output and exit status: `{ ok, exitCode, signal, stdout, stderr, durationMs, truncated }`. You approve the command line, folder and environment variables before the run. The program ends with the node, together with every program that it started.",
    "args": {
      "type": "object",
      "properties": {
        "program": {
          "type": "string",
          "description": "A program on the `PATH`, or a path from the working folder, such as `./test.sh`."
        },
        "args": {
          "type": "array",
          "items": {"type":"string"},
          "x-widget": "templates",
          "title": "Arguments",
          "description": "One string per argument. No shell is involved, so arguments aren't split or expanded."
        },
        "cwd": {
          "type": "string",
          "x-widget": "folder",
          "title": "Working folder",
          "description": "An absolute path, or a path from the workflow's own folder."
        },
        "env": {
          "type": "array",
          "items": {"type":"string"},
          "x-widget": "names",
          "title": "Environment",
          "description": "Names of the environment variables that the program receives. The program also receives the variables that every program needs, but no others."
        },
        "stdin": {"type":"string","title":"Standard input","description":"The program's standard input."},
        "timeout": {
          "type": "integer",
          "minimum": 1,
          "maximum": 21600,
          "default": 600,
          "description": "The time limit in seconds."
        },
        "maxOutput": {
          "type": "integer",
          "minimum": 1,
          "maximum": 16777216,
          "default": 1048576,
          "title": "Max output",
          "description": "The maximum size of standard output and of standard error, in bytes for each. If the output is larger, only its beginning and its end are kept."
        },
        "okExitCodes": {
          "type": "array",
          "items": {"type":"integer"},
          "default": [0],
          "x-widget": "names",
          "title": "OK exit codes",
          "description": "Exit codes that count as success. With these codes, `ok` is true."
        },
        "readOnly": {
          "type": "boolean",
          "default": false,
          "description": "Whether the program changes nothing. If so, an interrupted run may start it again without asking."
        },
        "report": {
          "enum": [
            "none",
            "auto",
            "junit",
            "tap",
            "pytest",
            "unittest",
            "go",
            "nextest",
            "cargo",
            "jest",
            "vitest",
            "mocha",
            "node",
            "rspec",
            "phpunit",
            "dotnet",
            "ctest",
            "eslint",
            "compiler"
          ],
          "default": "none",
          "description": "Reads the output as a test report. The result then has a `report` of `{ format, failures, counts, failed }`, or null if none was found."
        },
        "reportFile": {
          "type": "string",
          "description": "A report file in the working folder. Without this argument, the report is read from the program's output."
        }
      },
      "required": ["program"]
    },
    "unavailable": null
  },
  {
    "name": "files.read",
    "title": "Read a file",
    "summary": "Reads a UTF-8 text file of up to 8 MB from an approved folder.",
    "args": {
      "type": "object",
      "properties": {
        "path": {"type":"string","description":"The file's path in the folder. Default: the node's input."},
        "folder": {
          "type": "string",
          "x-widget": "folder",
          "description": "An absolute path, or a path from the workflow's own folder. Default: the workflow's own folder. The path can't be a template, because you approve it before the run."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "files.glob",
    "title": "List files",
    "summary": "Lists the files in an approved folder whose paths match a pattern, as `[{ path, size, modified }]`, sorted by path. Links are not followed.",
    "args": {
      "type": "object",
      "properties": {
        "pattern": {"type":"string","description":"A pattern such as **/*.md. Default: the node's input."},
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 10000,
          "default": 1000,
          "description": "The maximum number of files."
        },
        "folder": {
          "type": "string",
          "x-widget": "folder",
          "description": "An absolute path, or a path from the workflow's own folder. Default: the workflow's own folder. The path can't be a template, because you approve it before the run."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "files.write",
    "title": "Write a file",
    "summary": "Writes text of up to 8 MB to a file in an approved folder and returns `{ path, size }`. The file is written completely or not at all. Values other than text are written as JSON.",
    "args": {
      "type": "object",
      "properties": {
        "path": {"type":"string","description":"The file's path in the folder. Missing folders are created."},
        "text": {"description":"The text to write. Default: the node's input."},
        "mode": {
          "type": "string",
          "enum": ["replace","create","append"],
          "default": "replace",
          "description": "`replace` overwrites an existing file, `create` fails if the file exists, and `append` adds to it."
        },
        "folder": {
          "type": "string",
          "x-widget": "folder",
          "description": "An absolute path, or a path from the workflow's own folder. Default: the workflow's own folder. The path can't be a template, because you approve it before the run."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "files.edit",
    "title": "Edit files",
    "summary": "Replaces exact text in UTF-8 files of up to 8 MB in an approved folder, and returns `{ files: [{ path, created, replaced, line, size }] }`. Either all edits are made or none. Line endings and file modes are kept.",
    "args": {
      "type": "object",
      "properties": {
        "path": {"type":"string","description":"The file's path in the folder."},
        "old": {
          "type": "string",
          "description": "The text to replace, exactly as it is in the file. Include enough lines that the text occurs only once. If `old` is empty, the file is created with `new` as its content."
        },
        "new": {"type":"string","description":"The new text. If it is empty, the old text is removed."},
        "all": {
          "type": "boolean",
          "default": false,
          "description": "Replace every occurrence instead of requiring a single one."
        },
        "edits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "path": {"type":"string","description":"The file's path in the folder."},
              "old": {
                "type": "string",
                "description": "The text to replace, exactly as it is in the file. Include enough lines that the text occurs only once. If `old` is empty, the file is created with `new` as its content."
              },
              "new": {"type":"string","description":"The new text. If it is empty, the old text is removed."},
              "all": {
                "type": "boolean",
                "default": false,
                "description": "Replace every occurrence instead of requiring a single one."
              }
            },
            "required": ["path","new"]
          },
          "description": "Several edits, made one after the other, instead of `path`, `old` and `new`. Default: the node's input."
        },
        "folder": {
          "type": "string",
          "x-widget": "folder",
          "description": "An absolute path, or a path from the workflow's own folder. Default: the workflow's own folder. The path can't be a template, because you approve it before the run."
        }
      },
      "additionalProperties": false
    },
    "unavailable": null
  },
  {
    "name": "search.web",
    "title": "Search the web",
    "summary": "No search service is set up. Choose SearXNG, Brave or Tavily in Settings.",
    "args": {"type":"object"},
    "unavailable": "No search service is set up. Choose SearXNG, Brave or Tavily in Settings."
  },
  {
    "name": "mcp:<server>/<tool>",
    "title": "Call an MCP server",
    "summary": "No MCP server is set up. Add one in Settings.",
    "args": {"type":"object"},
    "unavailable": "No MCP server is set up. Add one in Settings."
  }
];

export const templateLanguage: Reply<"templateLanguage"> = [
  {
    "kind": "filter",
    "name": "default",
    "usage": "default(value=\"\")",
    "doc": "The value, or a default if the value is missing or null. With `boolean=true`, also if it is empty."
  },
  {
    "kind": "filter",
    "name": "json",
    "usage": "json",
    "doc": "The value as JSON. `json(pretty=true)` adds line breaks."
  },
  {"kind":"filter","name":"length","usage":"length","doc":"The number of characters, items or fields."},
  {"kind":"filter","name":"join","usage":"join(sep=\", \")","doc":"The items of a list, joined into text."},
  {
    "kind": "filter",
    "name": "trim",
    "usage": "trim",
    "doc": "The text without white space at either end. `trim(pat=\"-\")` removes `-` instead."
  },
  {
    "kind": "filter",
    "name": "trim_start",
    "usage": "trim_start",
    "doc": "The text without white space at the beginning."
  },
  {"kind":"filter","name":"trim_end","usage":"trim_end","doc":"The text without white space at the end."},
  {"kind":"filter","name":"upper","usage":"upper","doc":"The text in upper case."},
  {"kind":"filter","name":"lower","usage":"lower","doc":"The text in lower case."},
  {
    "kind": "filter",
    "name": "capitalize",
    "usage": "capitalize",
    "doc": "The first letter in upper case, the others in lower case."
  },
  {"kind":"filter","name":"title","usage":"title","doc":"The first letter of each word in upper case."},
  {
    "kind": "filter",
    "name": "truncate",
    "usage": "truncate(length=100)",
    "doc": "The first characters, with `…` if the text was longer. `end=\"\"` omits the `…`."
  },
  {
    "kind": "filter",
    "name": "replace",
    "usage": "replace(from=\"a\", to=\"b\")",
    "doc": "The text with every `from` replaced by `to`."
  },
  {
    "kind": "filter",
    "name": "split",
    "usage": "split(pat=\",\")",
    "doc": "The parts between the separators, as a list."
  },
  {
    "kind": "filter",
    "name": "indent",
    "usage": "indent(width=2)",
    "doc": "The text with each line except the first indented. `first=true` indents the first, too."
  },
  {"kind":"filter","name":"wordcount","usage":"wordcount","doc":"The number of words."},
  {"kind":"filter","name":"first","usage":"first","doc":"The first item of a list."},
  {"kind":"filter","name":"last","usage":"last","doc":"The last item of a list."},
  {"kind":"filter","name":"nth","usage":"nth(n=0)","doc":"The item at an index. The first index is 0."},
  {"kind":"filter","name":"reverse","usage":"reverse","doc":"The list or text in reverse order."},
  {
    "kind": "filter",
    "name": "sort",
    "usage": "sort",
    "doc": "The list in ascending order. `sort(attribute=\"score\")` sorts by a field of the items."
  },
  {"kind":"filter","name":"unique","usage":"unique","doc":"The list without duplicates."},
  {
    "kind": "filter",
    "name": "group_by",
    "usage": "group_by(attribute=\"kind\")",
    "doc": "An object of lists: the items grouped by the value of a field."
  },
  {
    "kind": "filter",
    "name": "get",
    "usage": "get(key=\"name\", default=\"\")",
    "doc": "An object's field, looked up by name."
  },
  {"kind":"filter","name":"keys","usage":"keys","doc":"The names of an object's fields."},
  {"kind":"filter","name":"values","usage":"values","doc":"The values of an object's fields."},
  {"kind":"filter","name":"pairs","usage":"pairs","doc":"An object's fields, each as a list `[name, value]`."},
  {
    "kind": "filter",
    "name": "int",
    "usage": "int",
    "doc": "Text converted to a whole number. `int(base=16)` reads other bases."
  },
  {"kind":"filter","name":"float","usage":"float","doc":"Text converted to a number."},
  {"kind":"filter","name":"str","usage":"str","doc":"The value as text."},
  {
    "kind": "filter",
    "name": "round",
    "usage": "round",
    "doc": "The nearest whole number. `precision=1` keeps one decimal place. `method=\"ceil\"` rounds up, `\"floor\"` rounds down."
  },
  {"kind":"filter","name":"abs","usage":"abs","doc":"The absolute value."},
  {
    "kind": "filter",
    "name": "pluralize",
    "usage": "pluralize",
    "doc": "`s` unless the number is 1. `singular=\"y\", plural=\"ies\"` sets other endings."
  },
  {
    "kind": "filter",
    "name": "escape",
    "usage": "escape",
    "doc": "The text with `<`, `>`, `&` and quotes escaped for HTML."
  },
  {
    "kind": "filter",
    "name": "escape_html",
    "usage": "escape_html",
    "doc": "The text with `<`, `>`, `&` and quotes escaped for HTML."
  },
  {
    "kind": "filter",
    "name": "escape_xml",
    "usage": "escape_xml",
    "doc": "The text with `<`, `>`, `&` and quotes escaped for XML."
  },
  {
    "kind": "filter",
    "name": "newlines_to_br",
    "usage": "newlines_to_br",
    "doc": "The text with `<br>` in place of each line break."
  },
  {
    "kind": "filter",
    "name": "safe",
    "usage": "safe",
    "doc": "The value, unchanged. Templates do not escape values, so this filter is never needed."
  },
  {"kind":"test","name":"defined","usage":"defined","doc":"Whether there is a value."},
  {"kind":"test","name":"undefined","usage":"undefined","doc":"Whether there is no value."},
  {"kind":"test","name":"none","usage":"none","doc":"Whether the value is null."},
  {
    "kind": "test",
    "name": "containing",
    "usage": "containing(pat=\"text\")",
    "doc": "Whether text contains other text, a list contains an item, or an object has a field."
  },
  {
    "kind": "test",
    "name": "starting_with",
    "usage": "starting_with(pat=\"text\")",
    "doc": "Whether text begins with `pat`."
  },
  {
    "kind": "test",
    "name": "ending_with",
    "usage": "ending_with(pat=\"text\")",
    "doc": "Whether text ends with `pat`."
  },
  {
    "kind": "test",
    "name": "matching",
    "usage": "matching(pat=\"^[0-9]+$\")",
    "doc": "Whether a regular expression matches anywhere in the text."
  },
  {"kind":"test","name":"string","usage":"string","doc":"Whether the value is text."},
  {"kind":"test","name":"number","usage":"number","doc":"Whether the value is a number."},
  {"kind":"test","name":"integer","usage":"integer","doc":"Whether the value is a whole number."},
  {"kind":"test","name":"float","usage":"float","doc":"Whether the value is a number with a fraction."},
  {"kind":"test","name":"bool","usage":"bool","doc":"Whether the value is true or false."},
  {"kind":"test","name":"array","usage":"array","doc":"Whether the value is a list."},
  {"kind":"test","name":"map","usage":"map","doc":"Whether the value is an object."},
  {"kind":"test","name":"iterable","usage":"iterable","doc":"Whether `for` can loop over the value."},
  {"kind":"test","name":"odd","usage":"odd","doc":"Whether the whole number is odd."},
  {"kind":"test","name":"even","usage":"even","doc":"Whether the whole number is even."},
  {
    "kind": "test",
    "name": "divisible_by",
    "usage": "divisible_by(divisor=2)",
    "doc": "Whether the number is divisible by `divisor`."
  },
  {
    "kind": "function",
    "name": "range",
    "usage": "range(end=3)",
    "doc": "Whole numbers from `start` up to but not including `end`. By default `start` is 0 and `step_by` is 1."
  },
  {"kind":"function","name":"throw","usage":"throw(message=\"\")","doc":"Fails the node with this message."},
  {
    "kind": "tag",
    "name": "if",
    "usage": "if condition %}…{% endif",
    "doc": "Outputs the block if the condition is true."
  },
  {"kind":"tag","name":"elif","usage":"elif condition","doc":"Another condition of an `if`."},
  {"kind":"tag","name":"else","usage":"else","doc":"Outputs the block if no condition is true."},
  {"kind":"tag","name":"endif","usage":"endif","doc":"Ends an `if`."},
  {
    "kind": "tag",
    "name": "for",
    "usage": "for item in list %}…{% endfor",
    "doc": "Outputs the block for each item. `loop.index` counts from 1."
  },
  {"kind":"tag","name":"endfor","usage":"endfor","doc":"Ends a `for`."},
  {
    "kind": "tag",
    "name": "set",
    "usage": "set name = value",
    "doc": "Gives a value a name that the rest of the template can use."
  },
  {
    "kind": "tag",
    "name": "set_global",
    "usage": "set_global name = value",
    "doc": "Like `set`, but a value set within a `for` is kept after the loop."
  },
  {
    "kind": "tag",
    "name": "filter",
    "usage": "filter upper %}…{% endfilter",
    "doc": "Passes the block through a filter."
  },
  {"kind":"tag","name":"endfilter","usage":"endfilter","doc":"Ends a `filter`."},
  {
    "kind": "tag",
    "name": "raw",
    "usage": "raw %}…{% endraw",
    "doc": "Outputs the block unchanged, including braces."
  },
  {"kind":"tag","name":"endraw","usage":"endraw","doc":"Ends a `raw`."},
  {"kind":"tag","name":"break","usage":"break","doc":"Leaves the `for`."},
  {"kind":"tag","name":"continue","usage":"continue","doc":"Continues with the next item of the `for`."},
  {"kind":"operator","name":"and","usage":"and","doc":"True if both are true."},
  {"kind":"operator","name":"or","usage":"or","doc":"True if at least one is true."},
  {"kind":"operator","name":"not","usage":"not","doc":"True if the expression that follows is false."},
  {
    "kind": "operator",
    "name": "in",
    "usage": "in",
    "doc": "True if the list, text or object on the right contains the value on the left."
  },
  {"kind":"operator","name":"is","usage":"is","doc":"Applies a test, as in `draft is defined`."},
  {"kind":"operator","name":"if","usage":"if","doc":"`a if condition else b`"},
  {"kind":"operator","name":"else","usage":"else","doc":"`a if condition else b`"},
  {"kind":"operator","name":"true","usage":"true","doc":"Yes."},
  {"kind":"operator","name":"false","usage":"false","doc":"No."}
];

export const settings: Reply<"settings"> = {
  "theme": "system",
  "provider": "auto",
  "model": null,
  "openaiBaseUrl": null,
  "addresses": {},
  "azureApiVersion": null,
  "documentsFolder": null,
  "budgetUsd": null,
  "askAboveUsd": 1.0,
  "retryCalls": true,
  "historyLimitMb": 1000,
  "keepAwake": true,
  "continueRuns": false,
  "notifications": {"desktop":true,"afterSeconds":30,"texts":false,"command":null},
  "refuseCallsAfterHours": null,
  "proxy": null,
  "webSearch": null,
  "mcpServers": [],
  "agents": [],
  "stores": []
};

export const importFormats: Reply<"importFormats"> = [
  {"id":"ralph","title":"Loop files (RALPH.md, LOOP.md, ralph.toml, ralph.yml)","dialects":[]},
  {"id":"loom","title":"Loom or Logic Apps workflow","dialects":["loom","logic-apps"]},
  {"id":"containers","title":"robomesh workflow with loop containers","dialects":[]},
  {"id":"tea","title":"TEA agents","dialects":[]},
  {"id":"aistudio","title":"AI Studio flows","dialects":[]}
];

export const prices: Reply<"prices"> = {
  "prices": [
    {
      "provider": "openai",
      "model": "gpt-5.4",
      "input": 2.5,
      "cachedInput": 0.25,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-5.4-mini",
      "input": 0.75,
      "cachedInput": 0.075,
      "output": 4.5,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-5",
      "input": 1.25,
      "cachedInput": 0.125,
      "output": 10.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-5-mini",
      "input": 0.25,
      "cachedInput": 0.025,
      "output": 2.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-5-nano",
      "input": 0.05,
      "cachedInput": 0.005,
      "output": 0.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4.1",
      "input": 2.0,
      "cachedInput": 0.5,
      "output": 8.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4.1-mini",
      "input": 0.4,
      "cachedInput": 0.1,
      "output": 1.6,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4.1-nano",
      "input": 0.1,
      "cachedInput": 0.025,
      "output": 0.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4o",
      "input": 2.5,
      "cachedInput": 1.25,
      "output": 10.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4o-2024-05-13",
      "input": 5.0,
      "cachedInput": null,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4o-mini",
      "input": 0.15,
      "cachedInput": 0.075,
      "output": 0.6,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "o1",
      "input": 15.0,
      "cachedInput": 7.5,
      "output": 60.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "o3",
      "input": 2.0,
      "cachedInput": 0.5,
      "output": 8.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "o3-mini",
      "input": 1.1,
      "cachedInput": 0.55,
      "output": 4.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "o4-mini",
      "input": 1.1,
      "cachedInput": 0.275,
      "output": 4.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4-turbo",
      "input": 10.0,
      "cachedInput": null,
      "output": 30.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-4",
      "input": 30.0,
      "cachedInput": null,
      "output": 60.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "openai",
      "model": "gpt-3.5-turbo",
      "input": 0.5,
      "cachedInput": null,
      "output": 1.5,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://openai.com/api/pricing/",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-fable-5-1",
      "input": 10.0,
      "cachedInput": 0.25,
      "output": 50.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-fable-5",
      "input": 10.0,
      "cachedInput": 1.0,
      "output": 50.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-mythos-5-1",
      "input": 10.0,
      "cachedInput": 0.25,
      "output": 50.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-mythos-5",
      "input": 10.0,
      "cachedInput": 1.0,
      "output": 50.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-5",
      "input": 5.0,
      "cachedInput": 0.5,
      "output": 25.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-8",
      "input": 5.0,
      "cachedInput": 0.5,
      "output": 25.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-7",
      "input": 5.0,
      "cachedInput": 0.5,
      "output": 25.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-6",
      "input": 5.0,
      "cachedInput": 0.5,
      "output": 25.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-5",
      "input": 5.0,
      "cachedInput": 0.5,
      "output": 25.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-sonnet-5-5",
      "input": 2.0,
      "cachedInput": 0.1,
      "output": 10.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-sonnet-5",
      "input": 2.0,
      "cachedInput": 0.2,
      "output": 10.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-haiku-5-5",
      "input": 0.1,
      "cachedInput": 0.01,
      "output": 0.5,
      "long": {"above":100000,"input":0.5,"output":2.5},
      "asOf": "2026-11-21",
      "source": "https://platform.claude.com/docs/en/about-claude/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-1",
      "input": 15.0,
      "cachedInput": 1.5,
      "output": 75.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4",
      "input": 15.0,
      "cachedInput": 1.5,
      "output": 75.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-opus-4-0",
      "input": 15.0,
      "cachedInput": 1.5,
      "output": 75.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-sonnet-4-5",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": {"above":200000,"input":6.0,"output":22.5},
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-sonnet-4",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": {"above":200000,"input":6.0,"output":22.5},
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-sonnet-4-0",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": {"above":200000,"input":6.0,"output":22.5},
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-haiku-4-5",
      "input": 1.0,
      "cachedInput": 0.1,
      "output": 5.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-7-sonnet",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-7-sonnet-latest",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-5-sonnet",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-5-sonnet-latest",
      "input": 3.0,
      "cachedInput": 0.3,
      "output": 15.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-5-haiku",
      "input": 0.8,
      "cachedInput": 0.08,
      "output": 4.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-5-haiku-latest",
      "input": 0.8,
      "cachedInput": 0.08,
      "output": 4.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-opus",
      "input": 15.0,
      "cachedInput": 1.5,
      "output": 75.0,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "anthropic",
      "model": "claude-3-haiku",
      "input": 0.25,
      "cachedInput": 0.03,
      "output": 1.25,
      "long": null,
      "asOf": "2025-10-15",
      "source": "https://www.anthropic.com/pricing",
      "own": false
    },
    {
      "provider": "gemini",
      "model": "gemini-2.5-pro",
      "input": 1.25,
      "cachedInput": null,
      "output": 10.0,
      "long": {"above":200000,"input":2.5,"output":15.0},
      "asOf": "2025-10-01",
      "source": "https://ai.google.dev/gemini-api/docs/pricing",
      "own": false
    },
    {
      "provider": "gemini",
      "model": "gemini-2.5-flash",
      "input": 0.3,
      "cachedInput": null,
      "output": 2.5,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://ai.google.dev/gemini-api/docs/pricing",
      "own": false
    },
    {
      "provider": "gemini",
      "model": "gemini-2.5-flash-lite",
      "input": 0.1,
      "cachedInput": null,
      "output": 0.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://ai.google.dev/gemini-api/docs/pricing",
      "own": false
    },
    {
      "provider": "gemini",
      "model": "gemini-2.0-flash",
      "input": 0.1,
      "cachedInput": null,
      "output": 0.4,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://ai.google.dev/gemini-api/docs/pricing",
      "own": false
    },
    {
      "provider": "gemini",
      "model": "gemini-2.0-flash-lite",
      "input": 0.075,
      "cachedInput": null,
      "output": 0.3,
      "long": null,
      "asOf": "2025-10-01",
      "source": "https://ai.google.dev/gemini-api/docs/pricing",
      "own": false
    },
    {
      "provider": "ollama",
      "model": "*",
      "input": 0.0,
      "cachedInput": null,
      "output": 0.0,
      "long": null,
      "asOf": "2025-10-01",
      "source": "runs on a computer of your own",
      "own": false
    },
    {
      "provider": "lmstudio",
      "model": "*",
      "input": 0.0,
      "cachedInput": null,
      "output": 0.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "runs on a computer of your own",
      "own": false
    },
    {
      "provider": "llama-server",
      "model": "*",
      "input": 0.0,
      "cachedInput": null,
      "output": 0.0,
      "long": null,
      "asOf": "2026-11-21",
      "source": "runs on a computer of your own",
      "own": false
    }
  ],
  "file": "/data/prices.json"
};

export const providers: Reply<"providers"> = [
  {
    "id": "builtin",
    "name": "Built-in models",
    "state": "ready",
    "ready": true,
    "status": "ready",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [
      {
        "id": "critic",
        "name": "Built-in critic",
        "does": "Finds errors of spelling, agreement, repetition, confused words and punctuation in English prose, and lists what to improve.",
        "cannot": "It cannot judge facts, arguments or style, or read other languages."
      },
      {
        "id": "reviser",
        "name": "Built-in reviser",
        "does": "Makes the corrections that a critique lists or, without a critique, corrects English prose by its own rules.",
        "cannot": "It cannot write new text, or rearrange or shorten text: it only corrects the given sentences."
      },
      {
        "id": "planner",
        "name": "Built-in planner",
        "does": "Writes the next search query, first for the subject of the question, then for the person or thing that the evidence names and for what is still missing; never repeats a query.",
        "cannot": "It cannot understand text: it matches names, word forms and a small list of related English words, and searches for one step at a time."
      },
      {
        "id": "judge",
        "name": "Built-in judge",
        "does": "Chooses `done` if a chain of sentences in the evidence answers the question, otherwise `continue`, and says what is missing.",
        "cannot": "It cannot judge style, truth or quality, or choose between branches that do not mean sufficient and insufficient evidence."
      },
      {
        "id": "answerer",
        "name": "Built-in answerer",
        "does": "Finds the sentences that answer a question and cites them, even across articles if one names the subject of the next; says what is missing if there are none.",
        "cannot": "It cannot write its own prose, calculate, compare, or draw conclusions that no sentence states."
      },
      {
        "id": "summariser",
        "name": "Built-in summariser",
        "does": "Shortens a text to its most central sentences, by about a third in each call, until it has no more words than the prompt allows.",
        "cannot": "It cannot write its own sentences, or shorten a sentence."
      },
      {
        "id": "corrector",
        "name": "Built-in corrector",
        "does": "Repairs JSON: first its syntax, then types, names, choices, bounds, unknown fields and fields with a default, according to the JSON Schema in the prompt.",
        "cannot": "It cannot invent a missing value, or turn prose into JSON."
      },
      {
        "id": "code-reviewer",
        "name": "Built-in code reviewer",
        "does": "Reviews code in Luau or Lua: syntax of other languages, undeclared names, loops with wrong bounds, and the results of its tests.",
        "cannot": "It cannot judge the purpose of code, or read other languages."
      },
      {
        "id": "code-fixer",
        "name": "Built-in code fixer",
        "does": "Makes the replacements that a review lists line by line.",
        "cannot": "It cannot write code, or follow a review that is not in this form."
      }
    ],
    "modelsAt": null,
    "note": "Rules and dictionaries that are part of Loopwright: no key, no network, no cost.",
    "remedy": ""
  },
  {
    "id": "openai",
    "name": "OpenAI",
    "state": "needs_key",
    "ready": false,
    "status": "needs a key (OPENAI_API_KEY, or OPENAI_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "OPENAI_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "OpenAI's models, or any server with the same API.",
    "remedy": "Set a key in Settings, with `loopwright keys set openai` or in OPENAI_API_KEY; for another server with the same API, set its address in OPENAI_BASE_URL."
  },
  {
    "id": "anthropic",
    "name": "Anthropic",
    "state": "needs_key",
    "ready": false,
    "status": "needs a key (ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "ANTHROPIC_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "Claude models, through the Messages API.",
    "remedy": "Set a key in Settings, with `loopwright keys set anthropic` or in ANTHROPIC_API_KEY."
  },
  {
    "id": "gemini",
    "name": "Gemini",
    "state": "needs_key",
    "ready": false,
    "status": "needs a key (GEMINI_API_KEY, or GEMINI_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "GEMINI_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "Google's models, through the Gemini API.",
    "remedy": "Set a key in Settings, with `loopwright keys set gemini` or in GEMINI_API_KEY."
  },
  {
    "id": "azure",
    "name": "Azure OpenAI",
    "state": "not_set_up",
    "ready": false,
    "status": "needs an address (AZURE_OPENAI_ENDPOINT)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "AZURE_OPENAI_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "OpenAI's models on Azure; the model is the name of a deployment.",
    "remedy": "Enter the endpoint in Settings or set AZURE_OPENAI_ENDPOINT (https://NAME.openai.azure.com), and a key: in Settings, with `loopwright keys set azure` or in AZURE_OPENAI_API_KEY. The model is the name of a deployment. To use another API version, set AZURE_OPENAI_API_VERSION."
  },
  {
    "id": "compatible",
    "name": "OpenAI-compatible",
    "state": "not_set_up",
    "ready": false,
    "status": "needs an address (COMPATIBLE_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "COMPATIBLE_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "vLLM, LiteLLM, OpenRouter and other servers with OpenAI's chat completions API.",
    "remedy": "Enter its address in Settings or set COMPATIBLE_BASE_URL, and COMPATIBLE_API_KEY if it needs a key."
  },
  {
    "id": "ollama",
    "name": "Ollama",
    "state": "offline",
    "ready": false,
    "status": "not running",
    "baseUrl": "http://127.0.0.1:11434/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [],
    "modelsAt": null,
    "note": "Models on this computer; detected automatically while Ollama runs.",
    "remedy": "Start Ollama on this computer, or set OLLAMA_HOST to its address, such as http://127.0.0.1:11434."
  },
  {
    "id": "lmstudio",
    "name": "LM Studio",
    "state": "offline",
    "ready": false,
    "status": "not running",
    "baseUrl": "http://127.0.0.1:1234/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [],
    "modelsAt": null,
    "note": "Models on this computer; detected automatically while LM Studio's server runs.",
    "remedy": "Start the server in LM Studio (Developer, Start server), or set LMSTUDIO_HOST to its address, such as http://127.0.0.1:1234."
  },
  {
    "id": "llama-server",
    "name": "llama-server",
    "state": "offline",
    "ready": false,
    "status": "not running",
    "baseUrl": "http://127.0.0.1:8080/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [],
    "modelsAt": null,
    "note": "One model on this computer, served by llama.cpp; detected automatically while llama-server runs.",
    "remedy": "Start llama-server on this computer, or set LLAMA_SERVER_HOST to its address, such as http://127.0.0.1:8080."
  }
];

export const agents: Reply<"agents"> = [
  {
    "name": "claude-code",
    "label": "Claude Code",
    "program": "claude",
    "path": null,
    "version": null,
    "install": "npm install -g @anthropic-ai/claude-code"
  },
  {
    "name": "codex",
    "label": "Codex",
    "program": "codex",
    "path": null,
    "version": null,
    "install": "npm install -g @openai/codex"
  },
  {
    "name": "gemini",
    "label": "Gemini",
    "program": "gemini",
    "path": null,
    "version": null,
    "install": "npm install -g @google/gemini-cli"
  }
];

export const problems: { readonly [code: string]: Problem } = {
  "agent_missing": {
    "code": "agent_missing",
    "severity": "warning",
    "node": "ask",
    "place": "runner",
    "message": "\"Ask\" cannot start its agent. The agent Claude Code is not installed: there is no program `claude` on this computer. Install it with `npm install -g @anthropic-ai/claude-code`.",
    "fix": null
  },
  "ambiguous_id": {
    "code": "ambiguous_id",
    "severity": "error",
    "node": "part/out",
    "place": null,
    "message": "The id \"part/out\" could be mistaken for the path of a node inside \"part\". Choose another id.",
    "fix": null
  },
  "bad_duration": {
    "code": "bad_duration",
    "severity": "error",
    "node": "draft",
    "place": "retry.interval",
    "message": "`retry.interval` of \"Draft\" is invalid: \"5s\" is not a duration. Write it in ISO 8601: PT30S, PT5M, PT1H30M, P1D.",
    "fix": null
  },
  "bad_field": {
    "code": "bad_field",
    "severity": "error",
    "node": "wrong",
    "place": "report",
    "message": "`report` of \"Wrong\" is \"xml\"; it must be one of \"auto\", \"junit\", \"tap\", \"cargo\", \"nextest\", \"pytest\", \"unittest\", \"jest\", \"vitest\", \"mocha\", \"node\", \"rspec\", \"phpunit\", \"dotnet\", \"ctest\", \"eslint\", \"go\", \"compiler\", \"none\".",
    "fix": null
  },
  "bad_reference": {
    "code": "bad_reference",
    "severity": "error",
    "node": "loop",
    "place": "condition.while",
    "span": {"from":0,"to":11},
    "message": "Condition of \"Refine\" refers to \"draft.score\": the expression is evaluated before \"Draft\" runs. Read `previous.draft.score`, or set `test` to `after`.",
    "fix": null
  },
  "bad_schema": {
    "code": "bad_schema",
    "severity": "error",
    "node": "s",
    "place": "schema",
    "message": "`schema` of \"S\" is not a JSON Schema: \"objekt\" is not valid under any of the schemas listed in the 'anyOf' keyword. Correct the schema.",
    "fix": null
  },
  "cannot_bypass": {
    "code": "cannot_bypass",
    "severity": "error",
    "node": "z",
    "place": "disabled",
    "message": "\"Z\" is disabled, but a Router can't be bypassed, because its output would be undefined. Enable it, or remove it.",
    "fix": {"title":"Enable it","edits":[{"op":"set_data","node":"z","field":"disabled","value":null}]}
  },
  "capture_from_below": {
    "code": "capture_from_below",
    "severity": "error",
    "node": "draft",
    "place": "edge:e6",
    "message": "\"Draft\" is in the body of \"Refine\" and reads \"Polish\", which runs only after \"Done\". Read a node before the loop, or send the value back through `feedback`.",
    "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e6"}]}
  },
  "clamped": {
    "code": "clamped",
    "severity": "warning",
    "node": "loop",
    "place": "maxIterations",
    "message": "\"Refine\" asks for 500 iterations, but this workflow allows 50. Lower the number, or raise the limit in Workflow settings.",
    "fix": {"title":"Set it to 50","edits":[{"op":"set_data","node":"loop","field":"maxIterations","value":50}]}
  },
  "computed_workspace": {
    "code": "computed_workspace",
    "severity": "error",
    "node": "inner",
    "place": "workspace.source",
    "message": "The workspace folder of \"inner\" is approved before the run, so its template can read only the run's inputs. Write the path of the folder, or an input of the run: {{ run.inputs.NAME }}.",
    "fix": null
  },
  "constant_condition": {
    "code": "constant_condition",
    "severity": "warning",
    "node": "two",
    "place": "condition.until",
    "message": "Condition of \"Two\" reads nothing that changes from one iteration to the next, so it is always true or always false. Read `result`, `vars`, `loopIndex` or a node of the body.",
    "fix": null
  },
  "crossing_regions": {
    "code": "crossing_regions",
    "severity": "error",
    "node": "left",
    "place": null,
    "message": "The bodies of \"Left\" and \"Right\" overlap. Give each its own end node. Then put one body completely inside the other, or separate them.",
    "fix": null
  },
  "cycle": {
    "code": "cycle",
    "severity": "error",
    "node": "loop",
    "place": "edge:e4",
    "message": "\"Refine\" → \"Draft\" → \"Refine\" form a cycle. Connect the last wire to `feedback` of \"Refine\" instead, so that the loop repeats.",
    "fix": {
      "title": "Send it to feedback",
      "edits": [{"op":"update_edge","edge":{"id":"e4","source":"draft","target":"loop","targetHandle":"feedback"}}]
    }
  },
  "dangling_edge": {
    "code": "dangling_edge",
    "severity": "error",
    "node": "loop",
    "place": "edge:e3",
    "message": "The wire \"e3\" ends at \"x\", but there is no such node. Remove it.",
    "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"e3"}]}
  },
  "duplicate_branch": {
    "code": "duplicate_branch",
    "severity": "error",
    "node": "r2",
    "place": "branches[1]",
    "message": "\"R2\" has two branches called `done` (case and punctuation do not count). Rename one of them.",
    "fix": null
  },
  "duplicate_id": {
    "code": "duplicate_id",
    "severity": "error",
    "node": "topic",
    "place": null,
    "message": "Two nodes have the id \"topic\". Give one of them another id.",
    "fix": null
  },
  "duplicate_name": {
    "code": "duplicate_name",
    "severity": "error",
    "node": "loop",
    "place": "variables[2].name",
    "message": "`variables[2].name` of \"Loop\" is `n`, which is already used. Choose another name.",
    "fix": null
  },
  "duplicate_wire": {
    "code": "duplicate_wire",
    "severity": "warning",
    "node": "b",
    "place": "edge:e3",
    "message": "The wire \"e3\" from \"topic\" to \"b\" exists twice. Remove one.",
    "fix": {"title":"Remove the second wire","edits":[{"op":"remove_edge","id":"e3"}]}
  },
  "edge_leaves_region": {
    "code": "edge_leaves_region",
    "severity": "error",
    "node": "draft",
    "place": "edge:e4",
    "message": "The wire from \"Draft\" to \"Refine\" leaves the body of \"Refine\" without passing \"exit\". Take the value from \"exit\" instead.",
    "fix": {
      "title": "Send it through exit",
      "edits": [{"op":"update_edge","edge":{"id":"e4","source":"exit","sourceHandle":"output","target":"loop"}}]
    }
  },
  "empty_region": {
    "code": "empty_region",
    "severity": "error",
    "node": "loop",
    "place": null,
    "message": "\"Loop\" has an empty body, so there is nothing to repeat. Wire its `body` handle to the first node of the body, and the last one to \"exit\".",
    "fix": null
  },
  "end_without_start": {
    "code": "end_without_start",
    "severity": "error",
    "node": "lonely",
    "place": null,
    "message": "\"Lonely\" closes no Loop: no path from a Loop's body leads to it. Wire the last node of a Loop's body to it, or remove it.",
    "fix": null
  },
  "evaluator_always_exits": {
    "code": "evaluator_always_exits",
    "severity": "error",
    "node": "l",
    "place": "exitCondition",
    "message": "\"L\" stops when a value reaches \"X\", but every path through the loop's body leads there, so it always stops after the first iteration. Put a Router, Validator, Check or Approval before \"X\" with a branch that leads elsewhere, or choose another exit condition.",
    "fix": null
  },
  "exit_ignored": {
    "code": "exit_ignored",
    "severity": "warning",
    "node": "refine",
    "place": "exitCondition",
    "message": "Branch `done` of \"Good enough?\" leads to \"Exit\", but \"Refine\" runs all its iterations whichever branch is taken. Set its exit condition to Evaluator to stop there.",
    "fix": {
      "title": "Stop when `done` is taken",
      "edits": [{"op":"set_data","node":"refine","field":"exitCondition","value":"evaluator"}]
    }
  },
  "feedback_not_used": {
    "code": "feedback_not_used",
    "severity": "warning",
    "node": "d",
    "place": "feedback",
    "message": "\"Lost\" sends its value to `feedback` of \"Variables\", where the feedback mode `variables` ignores it. Read `d2` in a variable's `next`, or choose the mode `replace`.",
    "fix": null
  },
  "field_of_text": {
    "code": "field_of_text",
    "severity": "warning",
    "node": "refine",
    "place": "condition.until",
    "span": {"from":0,"to":12},
    "message": "`result` is text here and has no field `score`, so the condition of \"Refine\" never finds a value. If a model should return the field, set its response format to JSON with that field. Otherwise, read the text itself.",
    "fix": null
  },
  "field_without_effect": {
    "code": "field_without_effect",
    "severity": "warning",
    "node": "lo",
    "place": "retry",
    "message": "`retry` of \"Refine\" has no effect, because a Loop makes no calls. Set it on nodes that make calls.",
    "fix": {"title":"Remove it","edits":[{"op":"set_data","node":"lo","field":"retry","value":null}]}
  },
  "imported_placeholder": {
    "code": "imported_placeholder",
    "severity": "warning",
    "node": "w",
    "place": "imported",
    "message": "\"W\" was imported but could not be translated. A run that reaches it fails. Replace it with a node that does the same, or disable it.",
    "fix": null
  },
  "may_be_missing": {
    "code": "may_be_missing",
    "severity": "warning",
    "node": "draft",
    "place": "prompt",
    "span": {"from":19,"to":33},
    "message": "Template of \"Draft\" reads `previous.draft`, which is null in the first iteration. Write `previous.draft | default(value=\"\")`.",
    "fix": null
  },
  "missing_branches": {
    "code": "missing_branches",
    "severity": "error",
    "node": "r",
    "place": "branches",
    "message": "\"R\" has no branches. Add at least one, such as `done`.",
    "fix": null
  },
  "missing_condition": {
    "code": "missing_condition",
    "severity": "error",
    "node": "loop",
    "place": "condition",
    "message": "\"Loop\" ends by a condition, but has none. Enter an expression in `until` (stop when it is true) or `while` (continue while it is true).",
    "fix": null
  },
  "missing_field": {
    "code": "missing_field",
    "severity": "error",
    "node": "loop",
    "place": "variables[0].name",
    "message": "`variables[0].name` of \"Loop\" is missing. Fill it in.",
    "fix": null
  },
  "missing_id": {
    "code": "missing_id",
    "severity": "error",
    "node": null,
    "place": null,
    "message": "A node of type \"note\" has an empty id. Give it an id.",
    "fix": null
  },
  "missing_name": {
    "code": "missing_name",
    "severity": "warning",
    "node": "nameless",
    "place": "name",
    "message": "The input \"nameless\" has no name, so its id \"nameless\" is used. Give it a name.",
    "fix": null
  },
  "missing_program": {
    "code": "missing_program",
    "severity": "error",
    "node": "none",
    "place": "program",
    "message": "\"None\" has no program. Write one in `program`, such as `npm`, and its arguments in `args`.",
    "fix": null
  },
  "missing_score": {
    "code": "missing_score",
    "severity": "error",
    "node": "two",
    "place": "score",
    "message": "\"Two\" returns the best iteration, but has no `score`. Enter an expression that gives a number.",
    "fix": null
  },
  "missing_template": {
    "code": "missing_template",
    "severity": "error",
    "node": "f",
    "place": "template",
    "message": "\"F\" has no template. Write one, such as `{{ input }}` to pass the input on.",
    "fix": null
  },
  "missing_tool": {
    "code": "missing_tool",
    "severity": "error",
    "node": "t",
    "place": "tool",
    "message": "\"T\" has no tool. Choose one, such as `search.documents`. `loopwright tools` lists them.",
    "fix": null
  },
  "model_missing": {
    "code": "model_missing",
    "severity": "warning",
    "node": "draft",
    "place": "provider",
    "message": "\"Draft\" cannot get an answer on this computer. No provider “openai” is set up. Set a key in Settings, with `loopwright keys set openai` or in OPENAI_API_KEY; for another server with the same API, set its address in OPENAI_BASE_URL. Or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
    "fix": null
  },
  "model_uncertain": {
    "code": "model_uncertain",
    "severity": "warning",
    "node": "look",
    "place": "provider",
    "message": "\"Critique\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model.",
    "fix": null
  },
  "nested_loops": {
    "code": "nested_loops",
    "severity": "error",
    "node": "inner",
    "place": null,
    "message": "\"Inner\" is inside the loop \"Outer\". Nested loops are turned off for this workflow because they multiply calls (up to 50 × 50 iterations). Allow nesting in Workflow settings.",
    "fix": {"title":"Allow nesting","edits":[{"op":"set_setting","field":"allowNestedLoops","value":true}]}
  },
  "no_end": {
    "code": "no_end",
    "severity": "error",
    "node": "loop",
    "place": null,
    "message": "\"loop\" has no Exit, so its body has no end. Wire the last node of the body to \"exit\".",
    "fix": {
      "title": "Wire Exit",
      "edits": [
        {
          "op": "add_edge",
          "edge": {
            "id": "e-change-exit",
            "source": "change",
            "sourceHandle": "output",
            "target": "exit",
            "targetHandle": "input"
          }
        }
      ]
    }
  },
  "no_output": {
    "code": "no_output",
    "severity": "warning",
    "node": null,
    "place": null,
    "message": "The workflow has no Output node, so a run gives no result. Add one and wire the result to it.",
    "fix": null
  },
  "not_a_list": {
    "code": "not_a_list",
    "severity": "warning",
    "node": "texts",
    "place": "edge:b",
    "message": "\"Each line\" runs once per item of a list, and `response` of \"Draft\" gives a text. Put a Transform that makes a list between them.",
    "fix": null
  },
  "not_a_template": {
    "code": "not_a_template",
    "severity": "error",
    "node": "computed",
    "place": "program",
    "message": "`program` of \"Computed\" can't be a template, because it is approved before the run. Write a fixed value, and put what changes into `args` or `stdin`.",
    "fix": null
  },
  "not_wired": {
    "code": "not_wired",
    "severity": "error",
    "node": "look",
    "place": "prompt",
    "span": {"from":3,"to":8},
    "message": "Template of \"Critique\" refers to \"input\": nothing is wired to its main input. Wire a value to it.",
    "fix": null
  },
  "nothing_to_check": {
    "code": "nothing_to_check",
    "severity": "error",
    "node": "v",
    "place": "schema",
    "message": "\"V\" has neither a schema nor rules, so every value is valid. Add one of them.",
    "fix": null
  },
  "nothing_wired": {
    "code": "nothing_wired",
    "severity": "error",
    "node": "ask",
    "place": "prompt",
    "message": "\"Ask\" has no `prompt`. Wire a value to it, or enter one in that field.",
    "fix": null
  },
  "out_of_range": {
    "code": "out_of_range",
    "severity": "error",
    "node": "wrong",
    "place": "maxOutput",
    "message": "`maxOutput` of \"Wrong\" is 0; it must be between 1 and 16777216.",
    "fix": {"title":"Set it to 1","edits":[{"op":"set_data","node":"wrong","field":"maxOutput","value":1}]}
  },
  "script_worker": {
    "code": "script_worker",
    "severity": "error",
    "node": "run",
    "place": "args.source",
    "message": "Script of \"Run\" was not checked. Scripts cannot be checked or run: LOOPWRIGHT_SCRIPTS is `/loopwright-scripts`, which is not the absolute path of a program. Correct or unset the variable.",
    "fix": null
  },
  "several_values": {
    "code": "several_values",
    "severity": "error",
    "node": "out",
    "place": "value",
    "message": "`value` of \"Out\" gets values from \"Tests\" and \"Tests\" in the same run, but takes only one. Give each value its own input, put an Aggregator before this input, or let a Router choose between them.",
    "fix": null
  },
  "subflow_empty": {
    "code": "subflow_empty",
    "severity": "error",
    "node": "b",
    "place": "ref",
    "message": "\"Empty\" has no flow to run. Choose a file in `ref`, or create a flow inside it.",
    "fix": null
  },
  "subflow_setting": {
    "code": "subflow_setting",
    "severity": "warning",
    "node": "a",
    "place": "flow",
    "message": "The workflow in \"Bad inside\" sets `concurrency`, which has an effect only in the outermost workflow. Set it there.",
    "fix": null
  },
  "subflow_twice": {
    "code": "subflow_twice",
    "severity": "error",
    "node": "c",
    "place": "ref",
    "message": "\"Both\" has both the file \"x.json\" and an inline flow. Keep one of them.",
    "fix": {
      "title": "Use the file",
      "edits": [
        {"op":"set_data","node":"c","field":"flow","value":null},
        {"op":"set_data","node":"c","field":"from","value":null}
      ]
    }
  },
  "subflow_unreadable": {
    "code": "subflow_unreadable",
    "severity": "error",
    "node": "d",
    "place": "flow",
    "message": "The flow in \"No flow\" can't be read: The file is JSON, but not a flow: `nodes` is a number, but must be a list. Create it again, or choose a file in `ref`.",
    "fix": null
  },
  "tail_leads_nowhere": {
    "code": "tail_leads_nowhere",
    "severity": "warning",
    "node": "c2",
    "place": null,
    "message": "\"Critique c\" runs in every iteration of \"Loose end\", but nothing reads its output. To pass the output to the next iteration, wire it to `feedback` of \"Loose end\". Otherwise, remove the node.",
    "fix": null
  },
  "tail_never_runs": {
    "code": "tail_never_runs",
    "severity": "warning",
    "node": "b3",
    "place": "edge:e14",
    "message": "\"Kept\" can't send feedback to \"Feeds when done\". It is on branch `done` of \"Judge b\", and that branch leads to \"Exit of b\" and ends the loop. Move it to a branch that continues the loop.",
    "fix": null
  },
  "template_syntax": {
    "code": "template_syntax",
    "severity": "error",
    "node": "mistake",
    "place": "stdin",
    "span": {"from":0,"to":2},
    "message": "Template of \"Mistake\" has a mistake in line 1, column 1 (`stdin`): `{{` has no closing `}}`. Correct it there. To keep braces as they are written, put them between `{% raw %}` and `{% endraw %}`.",
    "fix": null
  },
  "timeout_too_long": {
    "code": "timeout_too_long",
    "severity": "error",
    "node": "wrong",
    "place": "timeout",
    "message": "`timeout` of \"Wrong\" is longer than the maximum for a program. Set PT6H or less.",
    "fix": null
  },
  "tool_denied": {
    "code": "tool_denied",
    "severity": "warning",
    "node": "deny",
    "place": "approval",
    "message": "The `approval` of \"deny\" is `deny`, so a run fails there. Set it to `ask` or `auto` to use the tool.",
    "fix": null
  },
  "two_conditions": {
    "code": "two_conditions",
    "severity": "error",
    "node": "two",
    "place": "condition",
    "message": "The condition of \"Two\" has both `until` and `while`. Keep one of them.",
    "fix": null
  },
  "unknown_branch": {
    "code": "unknown_branch",
    "severity": "error",
    "node": "r2",
    "place": "fallback",
    "message": "The fallback of \"R2\" is `other`, which isn't one of its branches. Choose one of them or add it.",
    "fix": null
  },
  "unknown_field": {
    "code": "unknown_field",
    "severity": "warning",
    "node": "wrong",
    "place": "programme",
    "message": "`programme` of \"Wrong\" isn't a known field. Did you mean `program`?",
    "fix": null
  },
  "unknown_handle": {
    "code": "unknown_handle",
    "severity": "error",
    "node": "wrong",
    "place": "edge:7",
    "message": "\"Wrong\" has no output handle \"done\". It has passed, failed, result.",
    "fix": {"title":"Remove the wire","edits":[{"op":"remove_edge","id":"7"}]}
  },
  "unknown_kind": {
    "code": "unknown_kind",
    "severity": "error",
    "node": "x",
    "place": "type",
    "message": "\"X\" is of type \"lmm\", which Loopwright doesn't know. Did you mean \"llm\"?",
    "fix": null
  },
  "unknown_reference": {
    "code": "unknown_reference",
    "severity": "error",
    "node": "mistake",
    "place": "args[0]",
    "span": {"from":3,"to":8},
    "message": "Template of \"Mistake\" refers to \"inptu\", but there is no such node. Did you mean \"input\"?",
    "fix": null
  },
  "unreachable_branch": {
    "code": "unreachable_branch",
    "severity": "warning",
    "node": "a2",
    "place": "branches[1].when",
    "message": "Branch `done` of \"Judge\" (`a1 | length > 3`) can never be taken, because the branch `again` before it is always taken. Move `done` up.",
    "fix": null
  },
  "unreachable_done": {
    "code": "unreachable_done",
    "severity": "warning",
    "node": "a",
    "place": "exitCondition",
    "message": "\"Never done\" stops when a value reaches \"Exit of a\". That never happens, because branch `done` of \"Judge\" is never taken. Give that branch a condition that can be true, and put it before any branch that is always taken.",
    "fix": null
  },
  "unused_branch": {
    "code": "unused_branch",
    "severity": "warning",
    "node": "tests",
    "place": "failed",
    "message": "Branch `failed` of \"Tests\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
    "fix": null
  },
  "workspace_in_workspace": {
    "code": "workspace_in_workspace",
    "severity": "error",
    "node": "inner",
    "place": "workspace.source",
    "message": "\"inner\" has a workspace, but \"outer\" around it has one too. The nodes of both loops use the outer workspace. Remove the workspace folder of the inner loop.",
    "fix": null
  }
};

export const errors: { readonly [name in "noFile" | "emptyFile" | "changed" | "exists" | "noRun" | "notPrepared" | "notApproved" | "noExperiment" | "noEvaluation" | "noData" | "evaluationChanged" | "serverChanged" | "sharedPassword" | "silentStore"]: ApiError } = {
  "noFile": {
    "code": "not_found",
    "message": "The file /flows/named.loop does not exist. Check the path.",
    "path": "/flows/named.loop",
    "subject": null,
    "reason": null
  },
  "emptyFile": {
    "code": "invalid_flow",
    "message": "/flows/named.loop cannot be opened. The file is empty. A flow is a JSON object with `nodes` and `edges`.",
    "path": "/flows/named.loop",
    "subject": null,
    "reason": "The file is empty. A flow is a JSON object with `nodes` and `edges`."
  },
  "changed": {
    "code": "changed_on_disk",
    "message": "Another program has changed /flows/named.loop since you opened it, so it was not overwritten. Save under another name, or open the file again.",
    "path": "/flows/named.loop",
    "subject": null,
    "reason": null
  },
  "exists": {
    "code": "io",
    "message": "/flows/named.loop already exists and was not overwritten. Choose another name.",
    "path": "/flows/named.loop",
    "subject": null,
    "reason": null
  },
  "noRun": {
    "code": "not_found",
    "message": "There is no run named. `loopwright runs list` shows the ids of all runs.",
    "path": null,
    "subject": null,
    "reason": null
  },
  "notPrepared": {
    "code": "not_found",
    "message": "The preparation of this run has expired. Press Run again.",
    "path": null,
    "subject": null,
    "reason": null
  },
  "notApproved": {
    "code": "not_approved",
    "message": "Nothing was run: the flow would use resources that nobody has approved: command:git push in . (Fetch). Approve them in the window or on a terminal, or run it with --allow 'command:git push in .'",
    "path": null,
    "subject": null,
    "reason": null
  },
  "noExperiment": {
    "code": "not_found",
    "message": "There is no experiment named. `loopwright evals list` shows the experiments.",
    "path": null,
    "subject": null,
    "reason": null
  },
  "noEvaluation": {
    "code": "not_found",
    "message": "/flows/named.eval.json cannot be opened: No such file or directory (os error 2).",
    "path": "/flows/named.eval.json",
    "subject": null,
    "reason": null
  },
  "noData": {
    "code": "not_found",
    "message": "The data set /flows/named.jsonl cannot be read: No such file or directory (os error 2). Check that it exists and that you may read it.",
    "path": "/flows/named.jsonl",
    "subject": null,
    "reason": null
  },
  "evaluationChanged": {
    "code": "changed_on_disk",
    "message": "/flows/named.eval.json was changed by another program, so it was not overwritten. Open it again, or save your version under another name.",
    "path": "/flows/named.eval.json",
    "subject": null,
    "reason": null
  },
  "serverChanged": {
    "code": "not_approved",
    "message": "The command or address of the MCP server “named” has changed since you saw it, so nothing was started. Check the server again.",
    "path": null,
    "subject": null,
    "reason": null
  },
  "sharedPassword": {
    "code": "invalid_argument",
    "message": "The names of the stores wo-rk and wo_rk are too similar: both would use the same password. Choose another name.",
    "path": null,
    "subject": "store_name",
    "reason": null
  },
  "silentStore": {
    "code": "busy",
    "message": "The run store cannot be reached: it does not answer. Check that its server is running and that the address is right.",
    "path": null,
    "subject": "store",
    "reason": "It does not answer. Check that its server is running and that the address is right."
  }
};

export const providerTest: Reply<"testProvider"> = {"says":"OpenAI answers with 2 models, such as gpt-4.1-mini.","tookMs":1000};

export const providersWithServer: Reply<"providers"> = [
  {
    "id": "builtin",
    "name": "Built-in models",
    "state": "ready",
    "ready": true,
    "status": "ready",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [
      {
        "id": "critic",
        "name": "Built-in critic",
        "does": "Finds errors of spelling, agreement, repetition, confused words and punctuation in English prose, and lists what to improve.",
        "cannot": "It cannot judge facts, arguments or style, or read other languages."
      },
      {
        "id": "reviser",
        "name": "Built-in reviser",
        "does": "Makes the corrections that a critique lists or, without a critique, corrects English prose by its own rules.",
        "cannot": "It cannot write new text, or rearrange or shorten text: it only corrects the given sentences."
      },
      {
        "id": "planner",
        "name": "Built-in planner",
        "does": "Writes the next search query, first for the subject of the question, then for the person or thing that the evidence names and for what is still missing; never repeats a query.",
        "cannot": "It cannot understand text: it matches names, word forms and a small list of related English words, and searches for one step at a time."
      },
      {
        "id": "judge",
        "name": "Built-in judge",
        "does": "Chooses `done` if a chain of sentences in the evidence answers the question, otherwise `continue`, and says what is missing.",
        "cannot": "It cannot judge style, truth or quality, or choose between branches that do not mean sufficient and insufficient evidence."
      },
      {
        "id": "answerer",
        "name": "Built-in answerer",
        "does": "Finds the sentences that answer a question and cites them, even across articles if one names the subject of the next; says what is missing if there are none.",
        "cannot": "It cannot write its own prose, calculate, compare, or draw conclusions that no sentence states."
      },
      {
        "id": "summariser",
        "name": "Built-in summariser",
        "does": "Shortens a text to its most central sentences, by about a third in each call, until it has no more words than the prompt allows.",
        "cannot": "It cannot write its own sentences, or shorten a sentence."
      },
      {
        "id": "corrector",
        "name": "Built-in corrector",
        "does": "Repairs JSON: first its syntax, then types, names, choices, bounds, unknown fields and fields with a default, according to the JSON Schema in the prompt.",
        "cannot": "It cannot invent a missing value, or turn prose into JSON."
      },
      {
        "id": "code-reviewer",
        "name": "Built-in code reviewer",
        "does": "Reviews code in Luau or Lua: syntax of other languages, undeclared names, loops with wrong bounds, and the results of its tests.",
        "cannot": "It cannot judge the purpose of code, or read other languages."
      },
      {
        "id": "code-fixer",
        "name": "Built-in code fixer",
        "does": "Makes the replacements that a review lists line by line.",
        "cannot": "It cannot write code, or follow a review that is not in this form."
      }
    ],
    "modelsAt": null,
    "note": "Rules and dictionaries that are part of Loopwright: no key, no network, no cost.",
    "remedy": ""
  },
  {
    "id": "openai",
    "name": "OpenAI",
    "state": "ready",
    "ready": true,
    "status": "ready",
    "baseUrl": "http://127.0.0.1:11434/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": "OPENAI_API_KEY",
    "models": [
      {"id":"gpt-4.1-mini","name":"gpt-4.1-mini","does":"","cannot":""},
      {"id":"llama3.2:3b","name":"llama3.2:3b","does":"","cannot":""}
    ],
    "modelsAt": "2026-01-01T00:00:00.000Z",
    "note": "OpenAI's models, or any server with the same API.",
    "remedy": ""
  },
  {
    "id": "anthropic",
    "name": "Anthropic",
    "state": "needs_key",
    "ready": false,
    "status": "needs a key (ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "ANTHROPIC_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "Claude models, through the Messages API.",
    "remedy": "Set a key in Settings, with `loopwright keys set anthropic` or in ANTHROPIC_API_KEY."
  },
  {
    "id": "gemini",
    "name": "Gemini",
    "state": "needs_key",
    "ready": false,
    "status": "needs a key (GEMINI_API_KEY, or GEMINI_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "GEMINI_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "Google's models, through the Gemini API.",
    "remedy": "Set a key in Settings, with `loopwright keys set gemini` or in GEMINI_API_KEY."
  },
  {
    "id": "azure",
    "name": "Azure OpenAI",
    "state": "not_set_up",
    "ready": false,
    "status": "needs an address (AZURE_OPENAI_ENDPOINT)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "AZURE_OPENAI_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "OpenAI's models on Azure; the model is the name of a deployment.",
    "remedy": "Enter the endpoint in Settings or set AZURE_OPENAI_ENDPOINT (https://NAME.openai.azure.com), and a key: in Settings, with `loopwright keys set azure` or in AZURE_OPENAI_API_KEY. The model is the name of a deployment. To use another API version, set AZURE_OPENAI_API_VERSION."
  },
  {
    "id": "compatible",
    "name": "OpenAI-compatible",
    "state": "not_set_up",
    "ready": false,
    "status": "needs an address (COMPATIBLE_BASE_URL)",
    "baseUrl": null,
    "hasKey": false,
    "keySource": null,
    "keyVariable": "COMPATIBLE_API_KEY",
    "models": [],
    "modelsAt": null,
    "note": "vLLM, LiteLLM, OpenRouter and other servers with OpenAI's chat completions API.",
    "remedy": "Enter its address in Settings or set COMPATIBLE_BASE_URL, and COMPATIBLE_API_KEY if it needs a key."
  },
  {
    "id": "ollama",
    "name": "Ollama",
    "state": "ready",
    "ready": true,
    "status": "ready",
    "baseUrl": "http://127.0.0.1:11434/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [
      {"id":"gpt-4.1-mini","name":"gpt-4.1-mini","does":"","cannot":""},
      {"id":"llama3.2:3b","name":"llama3.2:3b","does":"","cannot":""}
    ],
    "modelsAt": "2026-01-01T00:00:00.000Z",
    "note": "Models on this computer; detected automatically while Ollama runs.",
    "remedy": ""
  },
  {
    "id": "lmstudio",
    "name": "LM Studio",
    "state": "offline",
    "ready": false,
    "status": "not running",
    "baseUrl": "http://127.0.0.1:1234/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [],
    "modelsAt": null,
    "note": "Models on this computer; detected automatically while LM Studio's server runs.",
    "remedy": "Start the server in LM Studio (Developer, Start server), or set LMSTUDIO_HOST to its address, such as http://127.0.0.1:1234."
  },
  {
    "id": "llama-server",
    "name": "llama-server",
    "state": "offline",
    "ready": false,
    "status": "not running",
    "baseUrl": "http://127.0.0.1:8080/v1",
    "hasKey": false,
    "keySource": null,
    "keyVariable": null,
    "models": [],
    "modelsAt": null,
    "note": "One model on this computer, served by llama.cpp; detected automatically while llama-server runs.",
    "remedy": "Start llama-server on this computer, or set LLAMA_SERVER_HOST to its address, such as http://127.0.0.1:8080."
  }
];
