// Tables for spreadsheets (RFC 4180), whose cells others may have written.

// What a spreadsheet takes for the beginning of a formula, also in full width.
const formula = /^[=+\-@\t\r\n＝＋－＠]/u;

function cellOf(value: string): string {
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a table as CSV; a cell that would be a formula begins with an apostrophe. */
export function toCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}
