import type { Inspection } from "../model";
import { number } from "./inspection_sources";

const PLACES: Record<string, string> = {
  system: "in the instructions",
  history: "in an earlier turn",
  turn: "in this turn",
};

const CAUSES: Record<string, string> = {
  changed: "it is another text than the one that was sent before",
  removed: "the request before went on there, this one does not",
  epoch: "the window was full, so the oldest turns were put together and cut",
};

/** What a cache that holds the request before this one need not read again; where it has to begin, and why. */
export function Forecast({ inspection }: { inspection: Inspection }) {
  const { seen, cost } = inspection;
  const share = seen.totalBytes > 0 ? Math.floor((100 * seen.reusedBytes) / seen.totalBytes) : 0;
  return (
    <section className="reuse" aria-label="Forecast">
      {seen.reusedBytes === 0 && seen.firstDifference === null ? (
        <p>The first request of this conversation: a cache has nothing of it yet.</p>
      ) : (
        <>
          <p>
            <b>{share} %</b> begins like the request before it
            {cost.cachedTokens > 0 && <>, about {number(cost.cachedTokens)} tokens that a cache need not read again</>}.
          </p>
          <div className="bar" aria-hidden="true">
            <i className="turn" style={{ width: `${share}%` }} />
          </div>
          <Break inspection={inspection} />
        </>
      )}
      {cost.dollars !== undefined && <p className="price">About ${cost.dollars.toFixed(4)} for reading it.</p>}
    </section>
  );
}

function Break({ inspection }: { inspection: Inspection }) {
  const difference = inspection.seen.firstDifference;
  if (difference === null) return <p className="quiet">Nothing before this turn changed.</p>;
  const words = inspection.messages[difference.message]?.content?.replace(/\s+/g, " ").trim() ?? "";
  return (
    <p className="broken">
      Read afresh from message {difference.message + 1} on, {PLACES[difference.layer] ?? difference.layer}:{" "}
      {CAUSES[difference.cause] ?? difference.cause}.
      {words && <q>{words.length > 90 ? `${words.slice(0, 89)}…` : words}</q>}
    </p>
  );
}

/** What was mended in the request for this provider; what is stored is as it was. */
export function Repairs({ report }: { report: NonNullable<Inspection["report"]> }) {
  if (report.length === 0) return null;
  return (
    <>
      <h3>Mended for the provider</h3>
      <ul className="repairs">
        {report.map((repair, index) => (
          <li key={index} className={repair.severity}>
            {repair.sentence}
            <small>{repair.rule}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
