// A page that is loaded when it is first shown, since its charts are large, and kept hidden behind other pages.

import { Activity, type ComponentType, Suspense, useRef } from "react";
import pageFrameStyles from "../components/PageFrame.module.css";
import { Skeletons } from "../components/Skeletons";
import { useSession, type View } from "../session/session";

interface KeptPageProps {
  /** The view that shows the page. */
  view: View;
  /** The text shown while the page is loading. */
  label: string;
  /** The page, loaded with `lazy`. */
  page: ComponentType;
}

export function KeptPage({ view, label, page: Page }: KeptPageProps) {
  const isShown = useSession((s) => s.view === view);
  const wasShown = useRef(false);
  wasShown.current ||= isShown;
  if (!wasShown.current) return null;
  return (
    <Activity mode={isShown ? "visible" : "hidden"}>
      <Suspense
        fallback={
          <div className={pageFrameStyles.pageFrame}>
            <Skeletons label={label} lines={6} />
          </div>
        }
      >
        <Page />
      </Suspense>
    </Activity>
  );
}
