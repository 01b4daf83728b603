// The window: top bar, one of the seven views, status bar, and overlays.

import { useEffect } from "react";
import { listenToKeys } from "../commands/keyboard";
import { classes } from "../components/classes";
import { Tooltip } from "../components/Tooltip";
import { fileName, isDirty, useDocument } from "../document/document";
import { ApplyDialog } from "../inspector/changes/ApplyDialog";
import { ChangesDialog } from "../inspector/changes/ChangesDialog";
import { RunDialogs } from "../inspector/run/RunDialogs";
import { guardWindowClose, setWindowTitle } from "../ipc/client";
import { KeptCosts } from "../pages/costs/Kept";
import { KeptEvaluate } from "../pages/evaluate/Kept";
import { Gallery } from "../pages/Gallery";
import { KeptHistory } from "../pages/RunHistory";
import { SettingsPage } from "../pages/SettingsPage";
import { KeptWaiting } from "../pages/waiting/Kept";
import { followQuestions } from "../pages/waiting/store";
import { useSession } from "../session/session";
import { confirmCloseWindow } from "../tabs/closing";
import { forgetDrafts } from "../tabs/drafts";
import { followRunMarks, useTitleMark } from "../tabs/run-marks";
import { ApprovalWatch } from "../trust/ApprovalSheet";
import { TrustDialog } from "../trust/TrustDialog";
import { Announcer } from "./Announcer";
import styles from "./App.module.css";
import { DropTarget } from "./DropTarget";
import { KeptEditor } from "./Editor";
import { CommandPalette } from "./palette/CommandPalette";
import { QuestionDialog } from "./QuestionDialog";
import { RecoveryDialog } from "./RecoveryDialog";
import { RepositoryDialog } from "./repository/RepositoryDialog";
import { ShortcutSheet } from "./ShortcutSheet";
import { StatusBar } from "./StatusBar";
import { TabStrip, useStripShown } from "./TabStrip";
import { Toasts } from "./Toasts";
import { TopBar } from "./TopBar";
import { Tour } from "./tour/Tour";

async function confirmClose(): Promise<boolean> {
  if (!(await confirmCloseWindow())) return false;
  await forgetDrafts();
  return true;
}

function useWindowTitle() {
  const file = useDocument((s) => `${isDirty(s) ? "• " : ""}${fileName(s.path, s.root.name)} – Loopwright`);
  // While the start page is shown, there may be no open workflow yet.
  const isThere = useDocument((s) => s.path !== null || s.root.nodes.length > 0);
  const isGallery = useSession((s) => s.view === "gallery");
  const mark = useTitleMark();
  const title = `${mark}${isGallery && !isThere ? "Loopwright" : file}`;
  useEffect(() => {
    void setWindowTitle(title);
  }, [title]);
}

export function App() {
  const view = useSession((s) => s.view);
  useEffect(() => listenToKeys(), []);
  useEffect(() => {
    void guardWindowClose(confirmClose);
  }, []);
  useEffect(() => followRunMarks(), []);
  useEffect(() => followQuestions(), []);
  useWindowTitle();
  const strip = useStripShown();
  return (
    <div className={classes(styles.window, strip && styles.withTabs)}>
      <TopBar />
      {strip && <TabStrip />}
      {view === "gallery" && <Gallery />}
      <KeptEditor />
      <KeptHistory />
      <KeptEvaluate />
      <KeptCosts />
      <KeptWaiting />
      {view === "settings" && <SettingsPage />}
      <StatusBar />
      <Toasts />
      <QuestionDialog />
      <RunDialogs />
      <ChangesDialog />
      <ApplyDialog />
      <RepositoryDialog />
      <RecoveryDialog />
      <CommandPalette />
      <ShortcutSheet />
      <DropTarget />
      <Tour />
      <ApprovalWatch />
      <TrustDialog />
      <Tooltip />
      <Announcer />
    </div>
  );
}
