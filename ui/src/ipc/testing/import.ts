// The double's imports: the name of a file determines its content, and the result is the one recorded from
// Rust.
import type { Backend } from "../client";
import * as program from "../generated/recorded/program";
import { failure } from "./failures";
import { foreignFiles } from "./foreign-files";
import { answerTo } from "./recorded";

export function testImport(): Pick<Backend, "importFlow" | "importFormats"> {
  return {
    importFormats: async () => program.importFormats,
    importFlow: async (path, text, name, from, dialect) => {
      if (path === null) return answerTo("importFlow", [null, text, name, from, dialect]);
      if (path.includes("broken")) throw failure("noFile", path);
      const known = foreignFiles[path];
      if (known === undefined) throw new Error(`The double has no file ${path}.`);
      return answerTo("importFlow", [null, known, null, from, dialect]);
    },
  };
}
