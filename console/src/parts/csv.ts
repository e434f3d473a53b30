// Tables for spreadsheets (RFC 4180). Strangers may have written the cells.

// Characters that start a formula in a spreadsheet, including full-width forms.
const formula = /^[=+\-@\t\r\n＝＋－＠]/u;

function cellOf(value: string): string {
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a table as CSV. A cell that would be a formula is prefixed with an apostrophe. */
export function toCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}
