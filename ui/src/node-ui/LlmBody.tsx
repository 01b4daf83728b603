// A model node shows what it asks, and which model it asks.

import { ModelMenu } from "./ModelMenu";
import type { NodeBodyProps } from "./node-body";
import { Preview, textOf } from "./Preview";

export function LlmBody({ id, data }: NodeBodyProps) {
  // A prompt that only passes the input on says nothing; then the system prompt says more.
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
