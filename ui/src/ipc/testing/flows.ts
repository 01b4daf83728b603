// Two hand-drawn flows, as files for the double.
import type { FlowDoc } from "../generated/bindings";

export const selfRefine: FlowDoc = {
  schemaVersion: 1,
  name: "Self-Refine",
  description: "Draft, criticise, revise until the critic is content.",
  nodes: [
    {
      id: "brief",
      type: "input",
      position: { x: 20, y: 120 },
      data: {
        label: "Brief",
        name: "brief",
        dataType: "text",
        default: "Why bread rises, for a curious ten-year-old",
      },
    },
    {
      id: "refine",
      type: "loop",
      position: { x: 200, y: 120 },
      data: { label: "Refine", maxIterations: 5, exitCondition: "evaluator", feedbackMode: "replace" },
    },
    {
      id: "revise",
      type: "llm",
      position: { x: 460, y: 120 },
      data: { label: "Revise", prompt: "Improve this text for {{ run.inputs.brief }}:\n{{ input }}" },
    },
    {
      id: "critique",
      type: "router",
      position: { x: 720, y: 120 },
      data: {
        label: "Critique",
        mode: "llm",
        branches: ["done", "continue"],
        prompt: "Is {{ input }} clear?",
      },
    },
    { id: "exit", type: "exit", position: { x: 960, y: 120 }, data: { label: "Exit" } },
    {
      id: "final",
      type: "output",
      position: { x: 1140, y: 120 },
      data: { label: "Final", name: "article", format: "markdown" },
    },
  ],
  edges: [
    { id: "e1", source: "brief", sourceHandle: "value", target: "refine", targetHandle: "input" },
    { id: "e2", source: "refine", sourceHandle: "body", target: "revise", targetHandle: "prompt" },
    { id: "e3", source: "revise", sourceHandle: "response", target: "critique", targetHandle: "input" },
    { id: "e4", source: "critique", sourceHandle: "done", target: "exit", targetHandle: "input" },
    { id: "e5", source: "exit", sourceHandle: "output", target: "final", targetHandle: "value" },
    { id: "e6", source: "critique", sourceHandle: "continue", target: "refine", targetHandle: "feedback" },
  ],
};

export const agenticSearch: FlowDoc = {
  schemaVersion: 1,
  name: "Agentic Search",
  description: "Search until the question can be answered.",
  nodes: [
    {
      id: "question",
      type: "input",
      position: { x: 14, y: 120 },
      data: { label: "Question", name: "question", default: "Which heat pumps still work at −20 °C?" },
    },
    {
      id: "search_loop",
      type: "loop",
      position: { x: 196, y: 120 },
      data: {
        label: "Search until enough",
        maxIterations: 5,
        exitCondition: "evaluator",
        feedbackMode: "replace",
      },
    },
    {
      id: "plan",
      type: "llm",
      position: { x: 450, y: 120 },
      data: { label: "Plan search", prompt: "Write three searches that would settle {{ question }}" },
    },
    {
      id: "search",
      type: "tool",
      position: { x: 682, y: 120 },
      data: { label: "Search the web", tool: "search.documents" },
    },
    {
      id: "enough",
      type: "router",
      position: { x: 250, y: 440 },
      data: {
        label: "Enough?",
        mode: "llm",
        branches: ["done", "continue"],
        prompt: "Can {{ question }} be answered from these results?",
      },
    },
    { id: "exit", type: "exit", position: { x: 516, y: 440 }, data: { label: "Exit" } },
    {
      id: "answer",
      type: "output",
      position: { x: 736, y: 440 },
      data: { label: "Answer", name: "answer", format: "markdown" },
    },
    {
      id: "missing",
      type: "transform",
      position: { x: 474, y: 574 },
      data: { label: "What’s missing", template: "Still unknown: {{ input }}" },
    },
  ],
  edges: [
    { id: "e1", source: "question", sourceHandle: "value", target: "search_loop", targetHandle: "input" },
    { id: "e2", source: "search_loop", sourceHandle: "body", target: "plan", targetHandle: "prompt" },
    { id: "e3", source: "plan", sourceHandle: "response", target: "search", targetHandle: "input" },
    { id: "e4", source: "search", sourceHandle: "result", target: "enough", targetHandle: "input" },
    { id: "e5", source: "enough", sourceHandle: "done", target: "exit", targetHandle: "input" },
    { id: "e6", source: "enough", sourceHandle: "continue", target: "missing", targetHandle: "input" },
    { id: "e7", source: "missing", sourceHandle: "output", target: "search_loop", targetHandle: "feedback" },
    { id: "e8", source: "exit", sourceHandle: "output", target: "answer", targetHandle: "value" },
  ],
};

/** The flow files that exist in a test, by path. */
export const testFiles: { readonly [path: string]: FlowDoc } = {
  "/flows/self-refine.loop": selfRefine,
  "/flows/agentic-search.loop": agenticSearch,
};
