// The numbers of a panel as a table, for those who hear them.

const READ_CELLS = 1024; // more cells than this are too many to be read aloud

function readingTable(panel) {
  const table = element("table");
  let [rows, columns, cell] = [[], [], null];
  if (panel.kind === "matrix") {
    [rows, columns] = [panel.rows.labels, panel.columns.labels];
    const at = (r, c) => r * columns.length + c;
    cell = (r, c) => (panel.hidden?.[at(r, c)] ? "hidden" : formatNumber(panel.values[at(r, c)]));
  } else if (panel.kind === "bars") {
    [rows, columns] = [Array.from(panel.values, (_, i) => panel.labels.labels[i] ?? formatNumber(panel.edges[i])), [panel.quantity]];
    cell = (r) => formatNumber(panel.values[r]);
  } else {
    [rows, columns] = [Array.from(panel.x, formatNumber), panel.series.map((s) => s.name)];
    cell = (r, c) => formatNumber(panel.series[c].values[r]);
  }
  const across = Math.min(columns.length, READ_CELLS);
  const down = Math.min(rows.length, Math.floor(READ_CELLS / across));
  const all = rows.length === down && columns.length === across;
  const rest = all ? "" : `. Only the first ${down} of ${rows.length} rows and ${across} of ${columns.length} columns are listed here`;
  element("caption", "", table, panel.title + rest);
  const head = element("tr", "", element("thead", "", table));
  element("td", "", head);
  for (let c = 0; c < across; c++) element("th", "", head, columns[c]).scope = "col";
  const body = element("tbody", "", table);
  for (let r = 0; r < down; r++) {
    const line = element("tr", "", body);
    element("th", "", line, rows[r]).scope = "row";
    for (let c = 0; c < across; c++) element("td", "", line, cell(r, c));
  }
  return table;
}
