// Node kinds for the double, with the shapes of the real ones and short schemas.
import type {
  Category,
  ExitChoice,
  ExitNeed,
  ExitReason,
  HandleInfo,
  KindInfo,
  KindsReply,
  ShapeInfo,
  ValueType,
} from "../generated/bindings";

const handle = (name: string, valueType: ValueType, primary = false, many = false): HandleInfo => ({
  name,
  label: name,
  valueType,
  primary,
  many,
  always: false,
});

interface Sketch {
  inputs: HandleInfo[];
  outputs: HandleInfo[];
  properties?: Record<string, object>;
  defaults?: Record<string, unknown>;
  shape?: ShapeInfo;
  repeats?: "loop" | "each";
  pairedWith?: string;
  exits?: ExitChoice[];
}

function kind(
  type: string,
  title: string,
  category: Category,
  icon: string,
  summary: string,
  sketch: Sketch,
): KindInfo {
  return {
    type,
    title,
    category,
    icon,
    summary,
    doc: `${title}: ${summary}.`,
    shape: sketch.shape ?? "plain",
    repeats: sketch.repeats ?? null,
    pairedWith: sketch.pairedWith ?? null,
    exits: sketch.exits ?? [],
    inputs: sketch.inputs,
    outputs: sketch.outputs,
    schema: {
      type: "object",
      properties: { label: { type: "string", title: "Label" }, ...sketch.properties },
    },
    defaults: sketch.defaults ?? {},
    hidden: false,
  };
}

const exit = (value: string, title: string, reason: ExitReason, needs: ExitNeed | null): ExitChoice => ({
  value,
  title,
  meaning: `How ${title.toLowerCase()} ends it`,
  hint: null,
  needs,
  reason,
});

const template = (title: string, group: string) => ({
  type: "string",
  title,
  "x-widget": "template",
  "x-group": group,
});

export const testKinds: KindsReply = {
  kinds: [
    kind("input", "Input", "io", "text-cursor-input", "starting values", {
      shape: "input",
      inputs: [],
      outputs: [handle("value", "text", true)],
      properties: {
        name: { type: "string", title: "Name" },
        dataType: {
          type: "string",
          title: "Type",
          enum: ["text", "json", "number", "boolean", "file"],
          default: "text",
        },
        default: { title: "Default", "x-widget": "textarea" },
        required: { type: "boolean", title: "Required", default: true },
      },
      defaults: { name: "input", dataType: "text" },
    }),
    kind("output", "Output", "io", "file-output", "final result", {
      shape: "output",
      inputs: [handle("value", "any", true)],
      outputs: [],
      properties: {
        name: { type: "string", title: "Name" },
        format: { type: "string", title: "Format", enum: ["text", "markdown", "json"], default: "text" },
      },
      defaults: { name: "output", format: "markdown" },
    }),
    kind("llm", "LLM", "ai", "message-square-text", "prompt a model", {
      inputs: [handle("prompt", "text", true), handle("system", "text"), handle("context", "any")],
      outputs: [handle("response", "text", true), handle("usage", "json")],
      properties: {
        provider: { type: "string", title: "Provider", "x-widget": "provider", "x-group": "Model" },
        model: { type: "string", title: "Model", "x-widget": "model", "x-group": "Model" },
        systemPrompt: template("System prompt", "Prompt"),
        prompt: template("Prompt", "Prompt"),
        temperature: {
          type: "number",
          title: "Temperature",
          minimum: 0,
          maximum: 2,
          default: 0.7,
          "x-group": "Model",
        },
        maxTokens: { type: "integer", title: "Longest answer", minimum: 1, "x-group": "Model" },
      },
      defaults: { prompt: "{{ input }}" },
    }),
    kind("router", "Router", "ai", "split", "choose a path", {
      shape: "branching",
      inputs: [handle("input", "any", true)],
      outputs: [handle("done", "any", true), handle("continue", "any")],
      properties: {
        mode: { type: "string", title: "Mode", enum: ["rules", "llm", "pattern"], default: "rules" },
        branches: { type: "array", title: "Branches", "x-widget": "branches" },
      },
      defaults: { mode: "llm", branches: ["done", "continue"] },
    }),
    kind("agent", "Agent", "ai", "bot", "model with tools", {
      inputs: [handle("prompt", "text", true), handle("context", "any")],
      outputs: [handle("response", "text", true), handle("sessionId", "text"), handle("usage", "json")],
    }),
    kind("loop", "Loop", "logic", "refresh-cw", "repeat a body", {
      shape: "scope_start",
      repeats: "loop",
      pairedWith: "exit",
      exits: [
        exit("max_iterations", "Max iterations", "max_iterations", null),
        exit("evaluator", "Evaluator", "evaluator_done", "evaluator"),
        exit("stable_output", "Stable output", "stable_output", null),
        exit("score_plateau", "Score plateau", "score_plateau", "score"),
        exit("condition", "Condition", "condition_met", "condition"),
      ],
      inputs: [handle("input", "any", true), handle("feedback", "any")],
      outputs: [
        handle("body", "any"),
        handle("output", "any", true),
        handle("iterations", "json"),
        handle("count", "number"),
        handle("exitReason", "text"),
      ],
      properties: {
        maxIterations: {
          type: "integer",
          title: "Max iterations",
          minimum: 1,
          maximum: 50,
          default: 5,
          "x-group": "Limits",
        },
        exitCondition: {
          type: "string",
          title: "Exit condition",
          enum: ["max_iterations", "evaluator", "stable_output", "score_plateau", "condition"],
          default: "max_iterations",
        },
        feedbackMode: {
          type: "string",
          title: "Feedback",
          enum: ["replace", "append", "variables"],
          default: "replace",
        },
        stabilityThreshold: {
          type: "number",
          title: "Similarity threshold",
          minimum: 0,
          maximum: 1,
          default: 0.95,
          "x-show-if": { field: "exitCondition", in: ["stable_output"] },
        },
        plateauDelta: {
          type: "number",
          title: "Min improvement",
          minimum: 0,
          default: 0,
          "x-show-if": { field: "exitCondition", in: ["score_plateau"] },
        },
        patience: {
          type: "integer",
          title: "Times in a row",
          minimum: 1,
          default: 1,
          "x-show-if": { field: "exitCondition", in: ["stable_output", "score_plateau"] },
          "x-default-if": { field: "exitCondition", values: { score_plateau: 2 } },
        },
        minIterations: {
          type: "integer",
          title: "Min iterations",
          minimum: 1,
          default: 1,
          "x-show-if": {
            field: "exitCondition",
            in: ["evaluator", "stable_output", "score_plateau", "condition"],
          },
        },
        condition: { type: "object", "x-show-if": { field: "exitCondition", in: ["condition"] } },
        variables: {
          type: "array",
          items: {
            type: "object",
            properties: { name: { type: "string" }, initial: {}, next: {} },
            required: ["name"],
          },
        },
        inputName: { type: "string", title: "Input alias", "x-group": "Feedback" },
        outputs: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              from: { type: "string", "x-widget": "expression" },
              take: { type: "string", enum: ["last", "first", "all"], default: "last" },
            },
          },
        },
        result: { type: "string", enum: ["last", "best"], default: "last", "x-group": "Result" },
        score: {
          type: "string",
          "x-widget": "expression",
          "x-group": "Result",
          "x-show-if": [
            { field: "result", in: ["best"] },
            { field: "exitCondition", in: ["score_plateau"] },
          ],
        },
        limits: {
          type: "object",
          properties: {
            timeout: { type: "string", "x-format": "duration", title: "Timeout of the loop" },
            iterationTimeout: { type: "string", "x-format": "duration", title: "Timeout per iteration" },
            budgetUsd: { type: "number", title: "Budget", "x-unit": "$ per loop" },
            budgetTokens: { type: "integer", title: "Token budget", "x-unit": "tokens" },
          },
        },
        onLimit: { type: "string", enum: ["return", "fail"], default: "return", "x-group": "Limits" },
        onError: { type: "string", enum: ["fail", "return"], default: "fail", "x-group": "Limits" },
        delay: {
          type: "object",
          properties: {
            type: { type: "string", enum: ["fixed", "exponential"], default: "fixed", title: "Pause" },
            interval: { type: "string", "x-format": "duration", title: "First pause" },
            maxInterval: {
              type: "string",
              "x-format": "duration",
              title: "Longest pause",
              "x-show-if": { field: "type", in: ["exponential"] },
            },
            jitter: { type: "number", minimum: 0, maximum: 1 },
          },
        },
      },
      defaults: { maxIterations: 5, exitCondition: "evaluator", feedbackMode: "replace" },
    }),
    kind("exit", "Exit", "logic", "log-out", "leave the loop", {
      shape: "scope_end",
      pairedWith: "loop",
      inputs: [handle("input", "any", true)],
      outputs: [handle("output", "any", true), handle("exhausted", "any")],
    }),
    kind("approval", "Approval", "logic", "user-check", "ask a person", {
      shape: "branching",
      inputs: [handle("input", "any", true)],
      outputs: [handle("approved", "any", true), handle("rejected", "any")],
    }),
    kind("transform", "Transform", "logic", "braces", "reshape data", {
      inputs: [handle("input", "any", true)],
      outputs: [handle("output", "any", true)],
      properties: { template: template("Template", "Template") },
      defaults: { template: "{{ input }}" },
    }),
    kind("validator", "Validator", "logic", "shield-check", "check output", {
      shape: "branching",
      inputs: [handle("input", "any", true)],
      outputs: [handle("valid", "any", true), handle("invalid", "any")],
    }),
    kind("check", "Check", "logic", "list-checks", "run the tests", {
      shape: "branching",
      inputs: [handle("input", "any", true)],
      outputs: [
        handle("passed", "any"),
        handle("failed", "any"),
        { ...handle("result", "json"), always: true },
      ],
      properties: {
        program: { type: "string", title: "Program" },
        args: { type: "array", items: { type: "string" }, title: "Arguments", "x-widget": "templates" },
        cwd: { type: "string", title: "Working folder", default: "." },
        report: { type: "string", title: "Report", enum: ["auto", "junit", "tap", "none"], default: "auto" },
      },
      defaults: { program: "", args: [], cwd: ".", report: "auto" },
    }),
    kind("iterator", "Iterator", "logic", "rows-3", "for each item", {
      shape: "scope_start",
      repeats: "each",
      pairedWith: "aggregator",
      inputs: [handle("items", "json", true)],
      outputs: [handle("item", "any", true), handle("index", "number")],
    }),
    kind("aggregator", "Aggregator", "logic", "merge", "gather results", {
      shape: "scope_end",
      pairedWith: "iterator",
      inputs: [handle("input", "any", true, true)],
      outputs: [handle("results", "json", true), handle("count", "number"), handle("errors", "json")],
    }),
    kind("tool", "Tool", "tools", "plug", "run a tool", {
      inputs: [handle("input", "any", true)],
      outputs: [handle("result", "any", true)],
      properties: { tool: { type: "string", title: "Tool", "x-widget": "tool" } },
      defaults: { tool: "search.documents" },
    }),
    kind("subflow", "Subflow", "logic", "workflow", "a workflow as one node", {
      shape: "subflow",
      inputs: [],
      outputs: [],
    }),
    kind("note", "Note", "flow", "sticky-note", "plain comment", {
      shape: "annotation",
      inputs: [],
      outputs: [],
      properties: { text: { type: "string", title: "Text", "x-widget": "textarea" } },
      defaults: { text: "" },
    }),
  ],
  presets: [
    {
      id: "condition",
      title: "Condition",
      category: "logic",
      icon: "git-branch",
      summary: "if / else",
      type: "router",
      inputs: [handle("input", "any", true)],
      outputs: [handle("yes", "any"), handle("no", "any")],
      data: {
        label: "Condition",
        mode: "rules",
        branches: [
          { name: "yes", when: "true" },
          { name: "no", when: "true" },
        ],
      },
    },
    {
      id: "search",
      title: "Search",
      category: "tools",
      icon: "search",
      summary: "web or files",
      type: "tool",
      inputs: [handle("input", "any", true)],
      outputs: [handle("result", "any", true)],
      data: { label: "Search", tool: "search.documents" },
    },
    {
      id: "http",
      title: "HTTP",
      category: "tools",
      icon: "globe",
      summary: "call an API",
      type: "tool",
      inputs: [handle("input", "any", true)],
      outputs: [handle("result", "any", true)],
      data: { label: "HTTP", tool: "http.request" },
    },
    {
      id: "script",
      title: "Script",
      category: "tools",
      icon: "square-terminal",
      summary: "run code",
      type: "tool",
      inputs: [handle("input", "any", true)],
      outputs: [handle("result", "any", true)],
      data: { label: "Script", tool: "script.lua" },
    },
  ],
  convertible: (["text", "json", "number", "boolean"] as const).flatMap((type) => [
    ["any", type] as [ValueType, ValueType],
    [type, "any"] as [ValueType, ValueType],
    ...(type === "text" ? [] : [[type, "text"] as [ValueType, ValueType]]),
  ]),
};
