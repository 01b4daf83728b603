// A model node shows what it asks, and which model it asks.
import { defaultProvider, useProviders } from "../runs/providers";
import type { NodeBodyProps } from ".";
import { Line, Preview, textOf } from "./Preview";

export function LlmBody({ data }: NodeBodyProps) {
  // A prompt that only passes the input on says nothing; then what the model is told to be says more.
  const prompt = textOf(data.prompt);
  const plain = /^\s*\{\{\s*input\s*\}\}\s*$/.test(prompt) || prompt === "";
  const shown = plain ? textOf(data.systemPrompt) || prompt : prompt;
  return (
    <>
      {shown !== "" && <Preview text={shown} />}
      <Line>{useModelName(data)}</Line>
    </>
  );
}

function useModelName(data: NodeBodyProps["data"]): string {
  return useProviders((s) => {
    const provider = textOf(data.provider);
    const used = provider === "" || provider === "auto" ? (defaultProvider(s)?.id ?? "builtin") : provider;
    const models = s.providers.find((p) => p.id === used)?.models ?? [];
    const id = used === "builtin" ? textOf(data.builtin) || textOf(data.model) : textOf(data.model);
    const name = models.find((m) => m.id === id)?.name ?? id;
    return name || "default model";
  });
}
