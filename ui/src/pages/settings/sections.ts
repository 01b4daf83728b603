// The shown Settings section, and how to open one from anywhere.
import { create } from "zustand";
import { useSession } from "../../session/session";
import type { SectionId } from "./topics";

export const useSettingsSection = create<{ section: SectionId }>()(() => ({ section: "providers" }));

export function showSettings(section: SectionId): void {
  useSettingsSection.setState({ section });
  useSession.getState().show("settings");
}
