// The Evaluate page. It is loaded when first shown, since its charts are large, and kept hidden behind other
// pages.

import { Activity, lazy, Suspense, useRef } from "react";
import pageFrameStyles from "../../components/PageFrame.module.css";
import { Skeletons } from "../../components/Skeletons";
import { useSession } from "../../session/session";

const EvaluatePage = lazy(() => import("../EvaluatePage").then((page) => ({ default: page.EvaluatePage })));

export function KeptEvaluate() {
  const isShown = useSession((s) => s.view === "evaluate");
  const wasShown = useRef(false);
  wasShown.current ||= isShown;
  if (!wasShown.current) return null;
  return (
    <Activity mode={isShown ? "visible" : "hidden"}>
      <Suspense
        fallback={
          <div className={pageFrameStyles.pageFrame}>
            <Skeletons label="Opening Evaluate" lines={6} />
          </div>
        }
      >
        <EvaluatePage />
      </Suspense>
    </Activity>
  );
}
