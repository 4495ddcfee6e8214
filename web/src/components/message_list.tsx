import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";

import type { LiveState } from "../live";
import type { Row } from "../model";
import { say } from "../workspace";
import { IconButton } from "./button";
import { Message } from "./message";
import { NotShown } from "./not_shown";
import { Notices } from "./notices";

const NEAR = 90;
const LINE = 27;

/** A guess of the height of a row that was never drawn. */
const guess = (row: Row | undefined): number => {
  const letters = (row?.content ?? "").length;
  return 90 + Math.ceil(letters / 70) * LINE;
};

interface Props {
  id: string;
  state: LiveState;
}

/** Said by the sources beside an answer already. */
const TOLD_BESIDE = new Set(["search_included"]);

/** The rows; only those near the window are in the document. It stays at the end until somebody scrolls away. */
export function MessageList({ id, state }: Props) {
  const { rows, running, diagnostics, elsewhere, phase } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guess(rows[index]),
    getItemKey: (index) => rows[index]!.id,
    overscan: 6,
    paddingStart: 24,
  });
  const height = virtual.getTotalSize();
  const last = rows.at(-1);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [height, rows, diagnostics]);

  useEffect(() => {
    if (last?.role === "user") toEnd();
  }, [last?.id]);

  const wasRunning = useRef(running);
  useEffect(() => {
    if (wasRunning.current && !running) say("The reply is finished.");
    wasRunning.current = running;
  }, [running]);

  /** At once: on its long way up the browser would be stopped by rows that turn out higher than guessed. */
  const toStart = () => {
    atEnd.current = false;
    virtual.scrollToIndex(0);
  };
  const toEnd = () => {
    atEnd.current = true;
    setAway(false);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  /** Any move upwards is somebody's wish to read there; coming near the end again is the wish to follow. */
  const scrolled = () => {
    const element = scroller.current!;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (left < 2) atEnd.current = true;
    else if (element.scrollTop < lastTop.current) atEnd.current = false;
    else if (left < NEAR) atEnd.current = true;
    lastTop.current = element.scrollTop;
    setAway(left > NEAR);
  };

  const items = virtual.getVirtualItems();
  return (
    <div className="messages-frame">
      <div
        ref={scroller}
        className="messages"
        role="region"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={scrolled}
        onKeyDown={(event) => {
          if (event.target !== scroller.current) return;
          if (event.key === "Home") (event.preventDefault(), toStart());
          if (event.key === "End") (event.preventDefault(), toEnd());
        }}
      >
        <div className="all" style={{ height }}>
          <div
            className="near"
            role="feed"
            aria-label="Messages"
            aria-busy={running || phase === "loading"}
            style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
          >
            {items.map((item) => (
              <div key={item.key} data-index={item.index} ref={virtual.measureElement} className="slot">
                <Message
                  row={rows[item.index]!}
                  id={id}
                  place={item.index + 1}
                  count={rows.length}
                  running={running}
                  last={item.index === rows.length - 1}
                />
              </div>
            ))}
          </div>
        </div>
        <NotShown elsewhere={elsewhere} />
        <Notices diagnostics={diagnostics.filter((one) => !TOLD_BESIDE.has(one.code))} />
        <div className="end" />
      </div>
      {away && <IconButton icon="down" label="Go to the newest message" className="to-end" onClick={toEnd} />}
    </div>
  );
}
