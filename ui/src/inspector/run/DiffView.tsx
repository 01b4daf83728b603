// A word diff of two texts with semantic ins and del elements. Unchanged paragraphs are folded.
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { Caret } from "../../components/StreamingText";
import { tip } from "../../components/tip";
import { useFollow } from "../../components/use-follow";
import { formatBytes } from "../../runs/words/bytes";
import { plural } from "../../runs/words/format";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import styles from "./DiffView.module.css";
import { LongText, MAX_VISIBLE_CHARACTERS } from "./ValueView";
import valueStyles from "./ValueView.module.css";
import { beginning, type DiffPiece, type WordDiff } from "./word-diff";

/**
 * The distance of the caret from the top of the box, as a fraction of the box's height. The rest of the box
 * shows older text that the new text has not replaced yet.
 */
const CARET_AT = 0.75;

function belowCaret(box: HTMLElement): number {
  const caret = box.querySelector<HTMLElement>("[data-caret]");
  const end = box.scrollHeight - box.clientHeight;
  if (caret === null) return box.scrollTop;
  const wanted = caret.offsetTop + caret.offsetHeight - CARET_AT * box.clientHeight;
  return Math.max(0, Math.min(end, Math.round(wanted)));
}

export function DiffView({ diff, streaming }: { diff: WordDiff; streaming: boolean }) {
  const box = useRef<HTMLElement>(null);
  const { follow, onScroll } = useFollow(box, belowCaret);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box follows its text.
  useLayoutEffect(() => {
    if (streaming) follow();
  }, [diff, streaming, follow]);
  const [most, setMost] = useState(MAX_VISIBLE_CHARACTERS);
  const { visible, left } = useMemo(() => beginning(diff.pieces, most), [diff.pieces, most]);
  const scrolled = streaming ? { onScroll, tabIndex: 0 } : {};
  return (
    <section
      ref={box}
      className={classes(styles.diff, streaming && styles.grows)}
      aria-label="Difference by word"
      data-text=""
      data-testid={testIds.diffView}
      {...scrolled}
    >
      {visible.map((piece, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity except their index.
        <Piece key={i} piece={piece} last={i === diff.pieces.length - 1} streaming={streaming} />
      ))}
      {diff.pieces.length === 0 && <span className="text-tertiary">Both are empty.</span>}
      {left > 0 && (
        <span className={valueStyles.cut}>
          … {formatBytes(left)} more.
          <Button small onClick={() => setMost(2 * most)}>
            Show more
          </Button>
        </span>
      )}
    </section>
  );
}

function Piece({ piece, last, streaming }: { piece: DiffPiece; last: boolean; streaming: boolean }) {
  switch (piece.kind) {
    case "ins":
      return (
        <>
          <Marks tag="ins" text={piece.text} />
          {last && streaming && <Caret />}
        </>
      );
    case "del":
      return <Marks tag="del" text={piece.text} />;
    case "later":
      return (
        <>
          {streaming && <Caret />}
          <span className={styles.later} {...tip("Not reached yet")}>
            {piece.text}
          </span>
        </>
      );
    case "fold":
      return <Fold text={piece.text} amount={piece.amount} />;
    default:
      return (
        <>
          {piece.text}
          {last && streaming && <Caret />}
        </>
      );
  }
}

/**
 * Marks each line of the text separately, because a marked line break would appear as a bar in an empty line.
 */
function Marks({ tag: Tag, text }: { tag: "ins" | "del"; text: string }) {
  return text.split(/(\n+)/).map((part, i) => {
    if (part === "") return null;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity except their index.
    return part.startsWith("\n") ? part : <Tag key={i}>{part}</Tag>;
  });
}

function Fold({ text, amount }: { text: string; amount: string }) {
  const [open, setOpen] = useState(false);
  if (open) return <LongText text={text} />;
  return (
    <button type="button" className={styles.fold} onClick={() => setOpen(true)}>
      <Icon name="chevrons-up-down" size={12} />
      {amount}
    </button>
  );
}

/** Shows the summary "Iteration 2 → 3   +24 words   −17 words", and a button that copies the newer text. */
export function DiffSummary({
  from,
  to,
  diff,
  text,
}: {
  from: number;
  to: number;
  diff: WordDiff;
  text: string;
}) {
  const same =
    diff.added === 0 && diff.removed === 0 && !diff.pieces.some((p) => p.kind === "ins" || p.kind === "del");
  return (
    <div className={styles.summary}>
      <span>
        Iteration {from} → {to}
      </span>
      {same ? (
        <span>no change</span>
      ) : (
        <>
          <span className={classes(styles.change, "text-ok")}>+{plural(diff.added, "word")}</span>
          <span className={classes(styles.change, "text-error")}>−{plural(diff.removed, "word")}</span>
        </>
      )}
      {diff.coarse !== "nothing" && <span>{COARSE[diff.coarse]}</span>}
      <span className={styles.space} />
      <CopyButton text={text} />
    </div>
  );
}

const COARSE = {
  parts: "some passages differ too much to compare word by word",
  all: "the texts differ too much to compare word by word",
};

export function CopyButton({ text }: { text: string }) {
  const copy = async () => {
    const { toast } = useSession.getState();
    try {
      await navigator.clipboard.writeText(text);
      toast({ title: "Copied", tone: "ok" });
    } catch {
      toast({
        title: "The clipboard is not available. Select the text and copy it instead.",
        tone: "warn",
      });
    }
  };
  return <IconButton icon="copy" size={13} small label="Copy" onClick={() => void copy()} />;
}
