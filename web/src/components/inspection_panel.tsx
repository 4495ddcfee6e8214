import { useEffect, useRef } from "react";

import type { Row } from "../model";
import { workspace, type Looked } from "../workspace";
import { IconButton } from "./button";
import { Forecast, Repairs } from "./inspection_forecast";
import { number, Segments } from "./inspection_sources";
import { Notices } from "./notices";

const LAYERS: Record<string, string> = {
  system: "Instructions",
  previous: "Library",
  turn: "Attached in this turn",
  history: "Earlier turns",
  user: "Your words",
};

const close = () => workspace.set({ inspection: null });

/** What a model was, or would be, given: how much of what, from where, and what a cache reuses of it. */
export function InspectionPanel({ inspection }: { inspection: Looked }) {
  const panel = useRef<HTMLElement>(null);
  useFocus(panel);
  return (
    <aside
      ref={panel}
      className="note-panel inspection"
      aria-label="What the model is given"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") (event.preventDefault(), close());
      }}
    >
      <header>
        <h2>{inspection.ahead ? "What would be sent" : "What the model was given"}</h2>
        <IconButton icon="close" label="Close" onClick={close} />
      </header>
      <div className="note-body" tabIndex={0} role="region" aria-label="Layers and sources">
        <Size inspection={inspection} />
        <Forecast inspection={inspection} />
        <Notices diagnostics={inspection.diagnostics ?? []} />
        <Segments inspection={inspection} />
        <h3>The five layers</h3>
        {Object.keys(LAYERS).map((name, index) => (
          <Layer key={name} name={name} place={index + 1} inspection={inspection} />
        ))}
        <h3>The request, message by message</h3>
        {inspection.messages.map((row, index) => (
          <Sent key={index} row={row} place={index + 1} />
        ))}
        <Repairs report={inspection.report ?? []} />
      </div>
    </aside>
  );
}

/** The focus comes to the panel, and goes back to where it was when the panel leaves with it. */
function useFocus(panel: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    panel.current!.focus();
    return () => {
      if (before?.isConnected && (document.activeElement ?? document.body) === document.body) before.focus();
    };
  }, [panel]);
}

/** How the window is filled: one bar, and its parts in words. */
function Size({ inspection }: { inspection: Looked }) {
  const { layers, history, tokens, reserve, window } = inspection;
  const parts = [...layers, { name: "history", tokens: history }].filter((part) => part.tokens > 0);
  const whole = window ?? tokens + reserve;
  return (
    <section className="size" aria-label="Size">
      <p className="figure">
        {number(tokens)} <small>tokens{window ? ` of ${number(window)}` : ""}</small>
      </p>
      <div className="bar" aria-hidden="true">
        {parts.map((part) => (
          <i key={part.name} className={part.name} style={{ width: `${Math.max(0.6, (100 * part.tokens) / whole)}%` }} />
        ))}
        <i className="reserve" style={{ width: `${(100 * reserve) / whole}%` }} />
      </div>
      <ul>
        {parts.map((part) => (
          <li key={part.name}>
            <i className={part.name} /> {LAYERS[part.name] ?? part.name}
            <span>{number(part.tokens)}</span>
          </li>
        ))}
        <li>
          <i className="reserve" /> Kept for the answer
          <span>{number(reserve)}</span>
        </li>
      </ul>
    </section>
  );
}

/** A layer with its text; earlier turns go in as the messages that they were, which stand below. */
function Layer({ name, place, inspection }: { name: string; place: number; inspection: Looked }) {
  const layer = inspection.layers.find((one) => one.name === name);
  const tokens = (layer?.tokens ?? 0) + (name === "history" ? inspection.history : 0);
  const head = (
    <>
      <b>L{place}</b> {LAYERS[name]} <span>{tokens > 0 ? number(tokens) : "empty"}</span>
    </>
  );
  if (!layer?.text) return <p className="layer none">{head}</p>;
  return (
    <details className="layer">
      <summary>{head}</summary>
      <pre className="raw" tabIndex={0} role="region" aria-label={LAYERS[name]}>
        {layer.text}
      </pre>
      <p className="quiet">Fingerprint {layer.fingerprint.replace(/^.*:/, "").slice(0, 16)}</p>
    </details>
  );
}

function Sent({ row, place }: { row: Row; place: number }) {
  const text = row.content || JSON.stringify(row.parts, null, 2);
  return (
    <details className="layer">
      <summary>
        <b>{place}</b> {row.role} <span>{number(text.length)} letters</span>
      </summary>
      <pre className="raw" tabIndex={0} role="region" aria-label={`Message ${place}, ${row.role}`}>
        {text}
      </pre>
    </details>
  );
}
