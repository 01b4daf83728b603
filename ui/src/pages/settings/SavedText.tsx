// A text setting that is saved when the field loses the focus, so that an incomplete address is never used.
import { useState } from "react";
import { TextField } from "../../components/fields";
import { errorMessage } from "../../ipc/client";
import { useSession } from "../../session/session";

export function SavedText({
  id,
  saved,
  placeholder,
  type = "url",
  refused,
  save,
}: {
  id: string;
  saved: string;
  placeholder?: string;
  type?: "text" | "url";
  /** The title of the message that is shown if saving failed. */
  refused: string;
  /** Saves the value. Rejects if the settings refuse it; the text then stays in the field. */
  save(value: string): Promise<unknown>;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const finish = async () => {
    const value = draft?.trim() ?? saved;
    if (value === saved) {
      setDraft(null);
      return;
    }
    try {
      await save(value);
      setDraft(null);
    } catch (error) {
      useSession.getState().toast({ tone: "error", title: refused, detail: errorMessage(error) });
    }
  };
  return (
    <form
      className="row"
      onSubmit={(e) => {
        e.preventDefault();
        void finish();
      }}
      onBlur={() => void finish()}
    >
      <TextField
        mono
        wide
        id={id}
        testId={id}
        type={type}
        value={draft ?? saved}
        placeholder={placeholder}
        onChange={setDraft}
      />
    </form>
  );
}
