"use strict";
// Sorting is all that needs this; without it the tables are as they came.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const compare = (one, other, isNumber) => {
    if (isNumber) return Number(one) - Number(other);
    return one < other ? -1 : Number(one > other);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.first || "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      const direction = head.getAttribute("aria-sort") === first ? second : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction);
      const sign = direction === "descending" ? -1 : 1;
      const rows = [...body.rows].map((row) => ({ row, value: row.cells[column].dataset.sort }));
      rows.sort(({ value: one }, { value: other }) => {
        if (one === "" || other === "") return (one === "") - (other === ""); // nothing comes last, either way
        return sign * compare(one, other, "number" in head.dataset);
      });
      body.append(...rows.map((one) => one.row));
    });
  });
}
