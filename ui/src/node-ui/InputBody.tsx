// The body of an Input: the value for the next run. It is the value typed for this file, or otherwise the
// default.
import { useDocument, useInside } from "../document/document";
import { formatInputValue } from "../runs/inputs/inputs";
import { fileKey, useTyped } from "../runs/inputs/typed-inputs";
import type { NodeBodyProps } from "./node-body";
import { Line, Preview, textOf } from "./Preview";

export function InputBody({ id, data }: NodeBodyProps) {
  const key = useDocument(fileKey);
  const inside = useInside();
  const own = useTyped(key)[textOf(data.name) || id];
  // Inside a subflow no typed value applies, since the input receives the value wired to the subflow's node.
  const typed = inside ? undefined : own;
  const value =
    typed ?? (data.default === undefined || data.default === null ? "" : formatInputValue(data.default));
  if (value !== "") return <Preview text={value} />;
  if (inside) return <Line>value wired outside</Line>;
  return <Line>{data.required === true ? "asks for a value" : "no value yet"}</Line>;
}
