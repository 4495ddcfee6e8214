import { useEffect } from "react";

import { Conversation } from "./components/conversation";
import { InspectionPanel } from "./components/inspection_panel";
import { NotePanel } from "./components/note_panel";
import { Sidebar } from "./components/sidebar";
import { useShortcuts } from "./shortcuts";
import { useStore } from "./store";
import { start, workspace } from "./workspace";

let started = false;

/** Three panels: the conversations, the one that is open, and a note when one is looked at. */
export function App() {
  const note = useStore(workspace, (value) => value.note);
  const inspection = useStore(workspace, (value) => value.inspection);
  const said = useStore(workspace, (value) => value.said);
  const listOpen = useStore(workspace, (value) => value.listOpen);
  useShortcuts();
  useEffect(() => {
    if (!started) void start();
    started = true;
  }, []);
  return (
    <div className="app" data-list={listOpen ? "open" : "closed"} data-third={note === null && inspection === null ? "closed" : "open"}>
      <a className="skip" href="#message">
        Skip to the message field
      </a>
      <Sidebar />
      <Conversation />
      {note !== null && <NotePanel opened={note} />}
      {inspection !== null && <InspectionPanel inspection={inspection} />}
      <div className="unseen" role="status" aria-live="polite">
        {said}
      </div>
    </div>
  );
}
