// An Input shows what the next run takes: what was typed for this file, else its default.
import { useDocument } from "../document/document";
import { inputsKey, show, useTyped } from "../runs/inputs";
import type { NodeBodyProps } from ".";
import { Line, Preview, textOf } from "./Preview";

export function InputBody({ id, data }: NodeBodyProps) {
  const key = useDocument((s) => inputsKey(s.path, s.document));
  const typed = useTyped(key)[textOf(data.name) || id];
  const value = typed ?? (data.default === undefined || data.default === null ? "" : show(data.default));
  if (value !== "") return <Preview text={value} />;
  return <Line>{data.required === true ? "asks for a value" : "no value yet"}</Line>;
}
