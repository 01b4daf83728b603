// The window: top bar, one of the four views, status bar.
import { Gallery } from "../pages/Gallery";
import { RunHistory } from "../pages/RunHistory";
import { SettingsPage } from "../pages/SettingsPage";
import { useSession } from "../session/session";
import { Editor } from "./Editor";

export function App() {
  const view = useSession((s) => s.view);
  return (
    <div className="win">
      <header className="topbar" />
      {view === "gallery" && <Gallery />}
      {view === "editor" && <Editor />}
      {view === "runs" && <RunHistory />}
      {view === "settings" && <SettingsPage />}
      <footer className="status" />
    </div>
  );
}
