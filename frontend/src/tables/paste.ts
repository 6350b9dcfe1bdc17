/** Blocks of cells on the clipboard, as spreadsheets write them: tabs, lines, and quotes around what has either. */

export function readBlock(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') [cell, at] = [`${cell}"`, at + 1];
      else quoted = false;
    } else if (letter === '"' && cell === "" && closes(text, at)) quoted = true;
    else if (letter === "\t") endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  if (cell !== "" || row.length) endRow();
  return rows;
}

/** A quote opens a quoted cell only if one closes it before a tab, a line's end or the text's; else it is an inch mark. */
function closes(text: string, open: number): boolean {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] === '"') at += 1;
    else return at + 1 === text.length || "\t\r\n".includes(text[at + 1]!);
  }
  return false;
}

export function writeBlock(rows: string[][]): string {
  return rows.map((row) => row.map((cell) => (/[\t\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t")).join("\n");
}

export interface Target {
  row: number;
  column: number;
  text: string;
}

/** Which cell gets which text: a block from its corner; one cell, or one row or column, fills the chosen range. */
export function spread(block: string[][], from: { row: number; column: number }, to: { row: number; column: number }): Target[] {
  const height = Math.max(block.length, to.row - from.row + 1);
  const width = Math.max(...block.map((row) => row.length), to.column - from.column + 1);
  const fits = height % block.length === 0 && block.every((row) => width % row.length === 0);
  const rows = fits ? height : block.length;
  return Array.from({ length: rows }, (_, y) => {
    const line = block[y % block.length]!;
    return Array.from({ length: fits ? width : line.length }, (_, x) => ({
      row: from.row + y,
      column: from.column + x,
      text: line[x % line.length]!,
    }));
  }).flat();
}
