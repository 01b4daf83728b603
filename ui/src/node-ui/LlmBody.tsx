// The body of a model node: its prompt and its model.

import { ModelMenu } from "./ModelMenu";
import type { NodeBodyProps } from "./node-body";
import { Preview, textOf } from "./Preview";

export function LlmBody({ id, data }: NodeBodyProps) {
  // A prompt that only passes on the input is not informative, so the system prompt is shown instead.
  const prompt = textOf(data.prompt);
  const plain = /^\s*\{\{\s*input\s*\}\}\s*$/.test(prompt) || prompt === "";
  const shown = plain ? textOf(data.systemPrompt) || prompt : prompt;
  return (
    <>
      {shown !== "" && <Preview text={shown} />}
      <ModelMenu node={id} data={data} />
    </>
  );
}
