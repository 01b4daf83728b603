// Copies a step as Markdown: name, model, measures, prompt and output.
import { IconButton } from "../../components/Button";
import { errorMessage } from "../../ipc/client";
import type { Step } from "../../runs/fold/model";
import { loadStep } from "../../runs/view/step-detail";
import { useSession } from "../../session/session";
import { stepMarkdown } from "./values";

export function CopyStep({ runId, step, label }: { runId: string; step: Step; label: string }) {
  const copy = async () => {
    const { toast } = useSession.getState();
    try {
      const detail = await loadStep(runId, step.path, step.status);
      await navigator.clipboard.writeText(stepMarkdown(label, detail));
      toast({ tone: "ok", title: "Copied as Markdown" });
    } catch (error) {
      toast({ tone: "error", title: "Nothing was copied", detail: errorMessage(error) });
    }
  };
  return (
    <IconButton
      icon="copy"
      size={14}
      small
      label="Copy this step as Markdown"
      data-testid="copy-markdown"
      onClick={() => void copy()}
    />
  );
}
