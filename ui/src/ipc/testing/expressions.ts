// Template support of the double: the names of preceding nodes, a few language words, and a preview that
// fills in known values. It copies none of the language's semantics.
import type { Backend } from "../client";
import type { FlowDoc, NameInScope, NamesInScope } from "../generated/bindings";

const name = (written: string, more: Partial<NameInScope>): NameInScope => ({
  written,
  group: "node",
  valueType: "text",
  description: written,
  node: null,
  mayBeMissing: false,
  last: null,
  fields: [],
  ...more,
});

function namesOf(document: FlowDoc, node: string): NameInScope[] {
  const sources = document.edges.filter((edge) => edge.target === node).map((edge) => edge.source);
  return [
    name("input", {
      group: "input",
      description: "what comes in",
      last: "Bread rises because yeast makes gas.",
    }),
    ...sources.map((id) => name(id, { node: id, description: `what ${id} gave`, last: "A draft" })),
    name("loopCount", {
      group: "loop",
      valueType: "number",
      description: "the iteration, from 1",
      last: "2",
    }),
  ];
}

export const testExpressions: Pick<Backend, "templateLanguage" | "namesInScope" | "previewField" | "tools"> =
  {
    templateLanguage: async () => [
      { kind: "filter", name: "upper", usage: "upper", doc: "In upper case." },
      {
        kind: "filter",
        name: "default",
        usage: 'default(value="")',
        doc: "A default for a missing value.",
      },
      { kind: "test", name: "defined", usage: "defined", doc: "Whether there is a value." },
    ],
    namesInScope: async (document, _path, at): Promise<NamesInScope> => ({
      mode: "template",
      names: namesOf(document, at.node),
      from: { runId: "r1", path: at.node },
    }),
    previewField: async (document, _path, at) => {
      const text = document.nodes.find((n) => n.id === at.node)?.data[at.field];
      if (typeof text !== "string") return null;
      const names = namesOf(document, at.node);
      return {
        mode: "template",
        text: text.replace(
          /\{\{\s*(\w+)\s*\}\}/g,
          (_, of) => names.find((n) => n.written === of)?.last ?? "?",
        ),
        valueKind: "text",
        cut: false,
        error: null,
        reads: [],
        from: { runId: "r1", path: at.node },
      };
    },
    tools: async () => [
      {
        name: "search.documents",
        title: "Search documents",
        summary: "Finds passages.",
        args: {
          type: "object",
          properties: {
            query: { type: "string", description: "What is looked for." },
            limit: { type: "integer", minimum: 1, maximum: 50, default: 5 },
          },
          required: ["query"],
        },
        unavailable: null,
      },
      ...["lua", "python", "javascript"].map((language) => ({
        name: `script.${language}`,
        title: "Run a script",
        summary: "Runs a script.",
        args: {
          type: "object",
          properties: { source: { type: "string", "x-widget": "code", description: "The script." } },
          required: ["source"],
        },
        unavailable: null,
      })),
    ],
  };
