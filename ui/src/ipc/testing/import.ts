// The double's imports: the name of a file decides the outcome.
import { ApiFailure, type Backend } from "../client";

const FORMAT = { id: "plan", title: "Plan", dialects: ["counted", "named"] };

export function testImport(): Pick<Backend, "importFlow" | "importFormats"> {
  return {
    importFormats: async () => [FORMAT, { id: "list", title: "List", dialects: [] }],
    importFlow: async (path, text, _name, from, dialect) => {
      if (path === null) {
        if (!text?.startsWith("plan:"))
          throw new ApiFailure({
            code: "unknown_format",
            message: "Line 1: it says “Dear all,”. Loopwright does not recognise the format.",
          });
        path = "/pasted.plan";
      }
      if (path.includes("unknown") && from === null) {
        throw new ApiFailure({
          code: "unknown_format",
          message: "Line 1: it says “?”. Loopwright does not recognise the format.",
        });
      }
      if (path.includes("refused"))
        throw new ApiFailure({ code: "invalid_flow", message: "limits.max_iterations: must be 1 or more." });
      if (path.includes("both") && dialect === null)
        throw new ApiFailure({
          code: "ambiguous_dialect",
          message: "Dialect: this file has names and numbers.",
        });
      if (path.includes("broken")) throw new ApiFailure({ code: "io", message: `${path} cannot be read.` });
      return {
        document: {
          schemaVersion: 1,
          name: `Read ${dialect ?? "as it looks"}`,
          nodes: [{ id: "step", type: "llm", position: { x: 0, y: 0 }, data: { label: "Step" } }],
          edges: [],
        },
        file_name: "read.flow.json",
        report: {
          format: from ?? (path.endsWith(".list") ? "list" : "plan"),
          title: "Plan",
          dialect: dialect ?? "counted: its steps have numbers",
          assumed: dialect === null && path.endsWith("guessed.plan"),
          entries: [
            { outcome: "mapped", place: "steps[0]", node: "step", message: "Is a model call." },
            {
              outcome: "approximated",
              place: "steps[0].retry",
              node: "step",
              message: "Waits between tries.",
            },
            { outcome: "ignored", place: "colour", node: null, message: "Has no effect." },
          ],
        },
      };
    },
  };
}
