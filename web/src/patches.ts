/** Rows after patches. Rows that no patch names stay the same objects, so that they are not drawn again. */

import type { Part, Patch, Row } from "./model";

export function applyPatches(rows: Row[], patches: Patch[]): Row[] {
  if (patches.length === 0) return rows;
  const next = rows.slice();
  for (const patch of patches) applyPatch(next, patch);
  return next;
}

function applyPatch(rows: Row[], patch: Patch): void {
  switch (patch.op) {
    case "insertRow":
      rows.splice(patch.index, 0, patch.row);
      return;
    case "removeRow":
      change(rows, patch.id, () => null);
      return;
    case "replaceRow":
      change(rows, patch.id, () => patch.row);
      return;
    case "insertBlock":
      change(rows, patch.rowId, (row) => ({ ...row, children: inserted(row.children, patch.index, patch.block) }));
      return;
    case "replaceBlock":
      change(rows, patch.rowId, (row) => ({
        ...row,
        children: (row.children ?? []).map((block) => (block.id === patch.id ? patch.block : block)),
      }));
      return;
    case "appendText":
      grow(rows, patch.messageId, patch.part, patch.delta);
  }
}

function inserted(blocks: Row[] | undefined, index: number, block: Row): Row[] {
  const next = (blocks ?? []).slice();
  next.splice(index, 0, block);
  return next;
}

/** Searched from the end: almost every change is there. */
function change(rows: Row[], id: string, next: (row: Row) => Row | null): void {
  const index = rows.findLastIndex((row) => row.id === id);
  const row = rows[index];
  if (row === undefined) return;
  const changed = next(row);
  if (changed === null) rows.splice(index, 1);
  else rows[index] = changed;
}

function grow(rows: Row[], messageId: string, part: number, delta: string): void {
  const holds = (row: Row) => row.id === messageId || row.children?.some((block) => block.id === messageId);
  const index = rows.findLastIndex(holds);
  const row = rows[index];
  if (row === undefined) return;
  const inBlock = row.children?.some((block) => block.id === messageId);
  rows[index] = inBlock
    ? { ...row, children: row.children!.map((block) => (block.id === messageId ? grown(block, part, delta) : block)) }
    : grown(row, part, delta);
}

function grown(row: Row, place: number, delta: string): Row {
  const longer = (part: Part): Part => ({ ...part, text: (part.text ?? "") + delta });
  return { ...row, parts: (row.parts ?? []).map((part, index) => (index === place ? longer(part) : part)) };
}
