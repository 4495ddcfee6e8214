import type { Elsewhere } from "../model";

const REASONS: [string, string][] = [
  ["thread", "in side threads"],
  ["compressed", "inside a summary of earlier turns"],
  ["internal", "between agents"],
  ["unreachable", "nowhere a reader looks; “triptych doctor” says more"],
  ["inactive_branch", "in other versions"],
];
const ARROWS = "inactive_branch";

/** Messages that stand in no row, counted by the reason. Other versions alone need no word: the arrows show them. */
export function NotShown({ elsewhere }: { elsewhere: Elsewhere }) {
  const places = Object.values(elsewhere);
  const counts = REASONS.map(([reason, words]) => ({
    reason,
    words,
    count: places.filter((place) => place.reason === reason).length,
  })).filter(({ count }) => count > 0);
  if (counts.every(({ reason }) => reason === ARROWS)) return null;
  const whole = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <details className="fold not-shown">
      <summary>
        {whole} {whole === 1 ? "message is" : "messages are"} not in this view
      </summary>
      <ul>
        {counts.map(({ reason, count, words }) => (
          <li key={reason}>
            {count} {words}
          </li>
        ))}
      </ul>
    </details>
  );
}
