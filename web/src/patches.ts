/** Rows after patches. Rows that no patch names stay the same objects, so that they are not drawn again. */

import type { Part, Patch, Row } from "./model";

export function applyPatches(rows: Row[], patches: Patch[]): Row[] {
  if (patches.length === 0) return rows;
  const next = rows.slice();
  for (const patch of patches) applyPatch(next, patch);
  return next;
}

function applyPatch(rows: Row[], patch: Patch): void {
  switch (patch.type) {
    case "insert-row":
      rows.splice(patch.row, 0, patch.value);
      return;
    case "remove-row":
      rows.splice(patch.row, 1);
      return;
    case "replace-row":
      rows[patch.row] = patch.value;
      return;
    case "insert-block":
      change(rows, patch.row, (row) => ({ ...row, ...patch.fields, children: placed(row, patch.block, 0, patch.value) }));
      return;
    case "replace-block":
      change(rows, patch.row, (row) => ({ ...row, ...patch.fields, children: placed(row, patch.block, 1, patch.value) }));
      return;
    case "append-text":
      change(rows, patch.row, (row) => spoken(row, patch.block, patch.part, patch.delta));
  }
}

function change(rows: Row[], place: number, next: (row: Row) => Row): void {
  const row = rows[place];
  if (row !== undefined) rows[place] = next(row);
}

function placed(row: Row, place: number, instead: number, block: Row): Row[] {
  const blocks = (row.children ?? []).slice();
  blocks.splice(place, instead, block);
  return blocks;
}

function spoken(row: Row, block: number | undefined, part: number | undefined, delta: string): Row {
  if (block === undefined) return grown(row, part, delta);
  const blocks = (row.children ?? []).slice();
  if (blocks[block]) blocks[block] = grown(blocks[block], part, delta);
  return { ...row, children: blocks };
}

function grown(row: Row, place: number | undefined, delta: string): Row {
  if (place === undefined) return { ...row, content: (row.content ?? "") + delta };
  const longer = (part: Part): Part => ({ ...part, text: (part.text ?? "") + delta });
  return { ...row, parts: (row.parts ?? []).map((part, index) => (index === place ? longer(part) : part)) };
}
