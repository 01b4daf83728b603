// The names available in a field, which the engine determines, and the words of the template language, which
// are read once.
import { useEffect, useState } from "react";
import { useAnalysis } from "../../../document/analysis";
import { useDocument } from "../../../document/document";
import { api } from "../../../ipc/client";
import type { FlowDoc, NamesInScope, Word } from "../../../ipc/generated/bindings";
import { fieldPlace, useWhatIsShown } from "./at";

type NamesRequest = { document: FlowDoc; key: string; answer: Promise<NamesInScope> };

let asked: NamesRequest | null = null;

/** Returns the names at a field for the current document. Equal requests share one answer. */
export function namesAt(node: string, field: string): Promise<NamesInScope> {
  const { document, path } = useDocument.getState();
  const at = fieldPlace(node, field);
  const key = JSON.stringify(at);
  if (asked?.document === document && asked.key === key) return asked.answer;
  const answer = api().namesInScope(document, path, at);
  asked = { document, key, answer };
  answer.catch(() => {
    asked = null;
  });
  return answer;
}

let language: Promise<readonly Word[]> | null = null;

export function languageWords(): Promise<readonly Word[]> {
  language ??= api().templateLanguage();
  const answer = language;
  answer.catch(() => {
    language = null;
  });
  return answer;
}

const NONE: NamesInScope = { mode: "template", names: [], from: null };

/**
 * Returns the names at a field, requested after each analysis. The last result stays until a new one arrives.
 */
export function useNamesAt(node: string, field: string | null): NamesInScope {
  const [found, setFound] = useState<{ of: string; names: NamesInScope }>({ of: "", names: NONE });
  const checked = useAnalysis((s) => s.checkedAt);
  const shown = useWhatIsShown();
  const of = `${node} ${field}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: requested again after each analysis, or when another pass is shown.
  useEffect(() => {
    if (field === null) return;
    let gone = false;
    namesAt(node, field).then(
      (names) => {
        if (!gone) setFound({ of, names });
      },
      () => {
        // Names are optional. If they cannot be read, the field works without them.
      },
    );
    return () => {
      gone = true;
    };
  }, [node, field, checked, shown]);
  return found.of === of ? found.names : NONE;
}
